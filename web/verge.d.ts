/** A message of the engine; line and column count from 1, 0: not known. */
export interface Message {
  line: number;
  column: number;
  severity: 'error' | 'warning' | 'info';
  text: string;
}

/** Files that the model includes, by name. */
export type Files = Record<string, string | Uint8Array>;

export interface ModelOptions {
  files?: Files;
  /** The name of the model in messages. */
  name?: string;
}

export interface RunOptions extends ModelOptions {
  coordinates?: string;
  constraints?: string;
  /** `name` or `name:key=value,…` */
  integrator?: string;
  /** s; 0 or missing: as the model says. */
  step?: number;
  end?: number;
  /** Channels beside those of the model; `*` stands for any characters. */
  record?: string | string[];
  /** With a certificate: how many digits hold, in `report.verify`. */
  verify?: boolean;
  /** About ten times a second; false stops the run. */
  onProgress?: (progress: { t: number; end: number; steps: number }) => boolean | void;
}

export interface Checked {
  ok: boolean;
  messages: Message[];
  title?: string;
  planar?: boolean;
  bodies?: number;
  joints?: number;
  forces?: number;
  coordinates?: string | null;
  constraints?: string | null;
  integrator?: string | null;
  step?: number;
  end?: number;
}

/** What `verge run --json` answers. */
export interface Report {
  status: string;
  steps: number;
  solve_seconds: number;
  error?: string;
  [key: string]: unknown;
}

export class Result {
  readonly state: 'done' | 'stopped' | 'failed';
  readonly time: Float64Array;
  readonly names: string[];
  readonly units: string[];
  readonly bodies: string[];
  readonly messages: Message[];
  readonly report: Report | null;
  readonly scene: unknown;
  readonly coordinates: string;
  readonly constraints: string;
  readonly integrator: string;
  column(name: string): Float64Array;
  pose(body: string, row: number): { position: number[]; quaternion: number[] };
}

export class VergeError extends Error {
  readonly messages: Message[];
  /** What was computed before a run failed. */
  readonly result: Result | null;
}

export interface Dial {
  name: string;
  doc: string;
}

export class Engine {
  readonly version: string;
  readonly coordinates: (Dial & { planar: boolean; spatial: boolean })[];
  readonly constraints: Dial[];
  readonly integrators: (Dial & { family: string; constraints: string[]; parameters: string[] })[];
  check(text: string, options?: ModelOptions): Checked;
  channels(text: string, options?: ModelOptions): { name: string; unit: string }[];
  run(text: string, options?: RunOptions): Result;
  stream(text: string, options: RunOptions, onBytes: (bytes: ArrayBuffer, news: unknown) => boolean | void): void;
}

export interface Compiled {
  module: WebAssembly.Module;
  folder: 'simd' | 'plain';
}

/** Whether vectors of two numbers (SIMD) are understood here. */
export function hasVectors(): boolean;
export function compile(options?: { vectors?: boolean }): Promise<Compiled>;
export function load(options?: { vectors?: boolean; compiled?: Compiled }): Promise<Engine>;
export function decode(bytes: ArrayBuffer): { news: any; rows: Float64Array };
