/** Management screens, loaded as one chunk: separate chunks would be 2 kB larger in total. */
export { Screen as guardrails } from './guardrails/screen.tsx'
export { Screen as keys } from './keys/screen.tsx'
export { Screen as presets } from './presets/screen.tsx'
export { Screen as service } from './service/screen.tsx'
