/* SUNDIALS as a part (base/part/part.h), for sundials.c: the functions that it calls. */
#ifndef VG_INTEGRATOR_SUNDIALS_PART_H
#define VG_INTEGRATOR_SUNDIALS_PART_H

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/part/part.h"

#ifdef VERGE_LINK_PARTS
static inline const char *sundials_missing(void)
{
    return NULL;
}
#else
/* clang-format off */
#define SUNDIALS_LIST(F) \
    F(CVode) \
    F(CVodeCreate) \
    F(CVodeFree) \
    F(CVodeInit) \
    F(CVodeReInit) \
    F(CVodeSStolerances) \
    F(CVodeSetErrHandlerFn) \
    F(CVodeSetLinearSolver) \
    F(CVodeSetMaxNumSteps) \
    F(CVodeSetStopTime) \
    F(CVodeSetUserData) \
    F(ERKStepCreate) \
    F(ERKStepEvolve) \
    F(ERKStepFree) \
    F(ERKStepReInit) \
    F(ERKStepSStolerances) \
    F(ERKStepSetErrHandlerFn) \
    F(ERKStepSetMaxNumSteps) \
    F(ERKStepSetOrder) \
    F(ERKStepSetStopTime) \
    F(ERKStepSetUserData) \
    F(IDACreate) \
    F(IDAFree) \
    F(IDAInit) \
    F(IDAReInit) \
    F(IDASVtolerances) \
    F(IDASetErrHandlerFn) \
    F(IDASetId) \
    F(IDASetJacFn) \
    F(IDASetLinearSolver) \
    F(IDASetMaxNumSteps) \
    F(IDASetStopTime) \
    F(IDASetSuppressAlg) \
    F(IDASetUserData) \
    F(IDASolve) \
    F(N_VConst) \
    F(N_VDestroy) \
    F(N_VGetArrayPointer) \
    F(N_VGetLength) \
    F(N_VLinearSum) \
    F(N_VNew_Serial) \
    F(SUNContext_Create) \
    F(SUNContext_Free) \
    F(SUNDenseMatrix) \
    F(SUNLinSolFree) \
    F(SUNLinSol_Dense) \
    F(SUNMatDestroy)
/* clang-format on */

VG_PART_TABLE(SundialsTable, SUNDIALS_LIST);
static SundialsTable sundials;
static const char *const sundials_files[] = {VERGE_SUNDIALS_FILES, NULL};
static const char *const sundials_symbols[] = {SUNDIALS_LIST(VG_PART_NAME) NULL};
static vgPart sundials_part = {
    .title = "SUNDIALS", .file = sundials_files, .symbol = sundials_symbols, .table = &sundials};

/* NULL: its functions can be called; else why not. */
static inline const char *sundials_missing(void)
{
    return vg_part_missing(&sundials_part);
}

#define CVode                  (sundials.CVode)
#define CVodeCreate            (sundials.CVodeCreate)
#define CVodeFree              (sundials.CVodeFree)
#define CVodeInit              (sundials.CVodeInit)
#define CVodeReInit            (sundials.CVodeReInit)
#define CVodeSStolerances      (sundials.CVodeSStolerances)
#define CVodeSetErrHandlerFn   (sundials.CVodeSetErrHandlerFn)
#define CVodeSetLinearSolver   (sundials.CVodeSetLinearSolver)
#define CVodeSetMaxNumSteps    (sundials.CVodeSetMaxNumSteps)
#define CVodeSetStopTime       (sundials.CVodeSetStopTime)
#define CVodeSetUserData       (sundials.CVodeSetUserData)
#define ERKStepCreate          (sundials.ERKStepCreate)
#define ERKStepEvolve          (sundials.ERKStepEvolve)
#define ERKStepFree            (sundials.ERKStepFree)
#define ERKStepReInit          (sundials.ERKStepReInit)
#define ERKStepSStolerances    (sundials.ERKStepSStolerances)
#define ERKStepSetErrHandlerFn (sundials.ERKStepSetErrHandlerFn)
#define ERKStepSetMaxNumSteps  (sundials.ERKStepSetMaxNumSteps)
#define ERKStepSetOrder        (sundials.ERKStepSetOrder)
#define ERKStepSetStopTime     (sundials.ERKStepSetStopTime)
#define ERKStepSetUserData     (sundials.ERKStepSetUserData)
#define IDACreate              (sundials.IDACreate)
#define IDAFree                (sundials.IDAFree)
#define IDAInit                (sundials.IDAInit)
#define IDAReInit              (sundials.IDAReInit)
#define IDASVtolerances        (sundials.IDASVtolerances)
#define IDASetErrHandlerFn     (sundials.IDASetErrHandlerFn)
#define IDASetId               (sundials.IDASetId)
#define IDASetJacFn            (sundials.IDASetJacFn)
#define IDASetLinearSolver     (sundials.IDASetLinearSolver)
#define IDASetMaxNumSteps      (sundials.IDASetMaxNumSteps)
#define IDASetStopTime         (sundials.IDASetStopTime)
#define IDASetSuppressAlg      (sundials.IDASetSuppressAlg)
#define IDASetUserData         (sundials.IDASetUserData)
#define IDASolve               (sundials.IDASolve)
#define N_VConst               (sundials.N_VConst)
#define N_VDestroy             (sundials.N_VDestroy)
#define N_VGetArrayPointer     (sundials.N_VGetArrayPointer)
#define N_VGetLength           (sundials.N_VGetLength)
#define N_VLinearSum           (sundials.N_VLinearSum)
#define N_VNew_Serial          (sundials.N_VNew_Serial)
#define SUNContext_Create      (sundials.SUNContext_Create)
#define SUNContext_Free        (sundials.SUNContext_Free)
#define SUNDenseMatrix         (sundials.SUNDenseMatrix)
#define SUNLinSolFree          (sundials.SUNLinSolFree)
#define SUNLinSol_Dense        (sundials.SUNLinSol_Dense)
#define SUNMatDestroy          (sundials.SUNMatDestroy)
#endif

#endif
