import { fileURLToPath } from 'node:url'

/** What interns' processes run. A service that runs from a bundle has them bundled beside it, so that less is loaded. */
export const programs = {
  daemon: fileURLToPath(new URL('../../../bin/daemon.ts', import.meta.url)),
  agent: fileURLToPath(new URL('../../../bin/agent.ts', import.meta.url)),
  files: fileURLToPath(new URL('../../../bin/files.ts', import.meta.url)),
}
