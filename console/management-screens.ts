/** Screens that come in one file: apart they would weigh 2 kB more, and who manages one thing soon manages another. */
export { Screen as guardrails } from './guardrails/screen.tsx'
export { Screen as keys } from './keys/screen.tsx'
export { Screen as presets } from './presets/screen.tsx'
export { Screen as service } from './service/screen.tsx'
