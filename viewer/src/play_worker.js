// The engine in a thread of its own: answers {number, what, text, how} by {number, value} or {number, error}. What is
// new of a run comes before, as {number, bytes}.
import { load } from './engine/verge.js';

let engine = null;

async function answer({ compiled, number, what, text, how }) {
  if (compiled) {
    engine = load({ compiled });
    engine.catch(() => {});
    return;
  }
  try {
    const verge = await engine;
    if (what === 'run') {
      verge.stream(text, how, (bytes) => postMessage({ number, bytes }, [bytes]));
      postMessage({ number, value: {} });
      return;
    }
    const { version, coordinates, constraints, integrators } = verge;
    const value =
      what === 'start' ? { version, coordinates, constraints, integrators } : verge.check(text, how);
    postMessage({ number, value });
  } catch (error) {
    postMessage({ number, error: error.message });
  }
}

let last = Promise.resolve(); // one after the other
onmessage = ({ data }) => {
  last = last.then(() => answer(data));
};
