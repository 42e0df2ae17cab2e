import { fileURLToPath } from 'node:url'

/** The programs of interns' processes. If the service runs from a bundle, they are bundles, too, which load less. */
export const programs = {
  daemon: fileURLToPath(new URL('../../../bin/daemon.ts', import.meta.url)),
  agent: fileURLToPath(new URL('../../../bin/agent.ts', import.meta.url)),
  files: fileURLToPath(new URL('../../../bin/files.ts', import.meta.url)),
}

/** The niceness of these programs, so that the service has priority. */
export const internNiceness = 5

/** Starts the bundled programs of a folder from now on: for a service that runs from its sources, as in tests. */
export function useBundledPrograms(folder: URL): void {
  for (const name of ['daemon', 'agent', 'files'] as const)
    programs[name] = fileURLToPath(new URL(`${name}.mjs`, folder))
}
