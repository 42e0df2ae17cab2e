// The entry point of the bundle `service.cjs`. `run-script.ts` calls one of these functions by its name: `server` in the first
// process, `worker` in each additional one.
export const server = () => import('./server.ts')
export const worker = () => import('./worker.ts')
