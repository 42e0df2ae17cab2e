// The entry of the bundled script: the two programs that answer requests, each run by its name.
export const server = () => import('./server.ts')
export const worker = () => import('./worker.ts')
