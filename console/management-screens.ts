/** Two management screens, loaded as one chunk: separate chunks would be larger in total. */
export { Screen as keys } from './keys/screen.tsx'
export { Screen as service } from './service/screen.tsx'
