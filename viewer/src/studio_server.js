// The page of `verge studio`: models are checked and run by the program that serves it.
import { startStudio } from './studio.js';

const token = new URLSearchParams(location.search).get('token') ?? '';

async function ask(method, path, query = {}, body = undefined) {
  const words = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== '' && value !== undefined && value !== null),
  );
  const answer = await fetch(`/api/${path}?${words}`, {
    method,
    body,
    headers: { 'X-Verge-Token': token },
    cache: 'no-store',
  });
  if (answer.ok) return answer;
  let words2 = `${answer.status}`;
  try {
    words2 = (await answer.json()).error ?? words2;
  } catch {
    /* not every refusal comes in JSON */
  }
  throw new Error(words2);
}

startStudio({ ask, view: `/view?token=${encodeURIComponent(token)}`, title: 'Verge studio' });
