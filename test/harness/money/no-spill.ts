import type { Spill } from '#spend/metering/spill.ts'

/** A spill without a folder, which stores nothing. */
export const noSpill: Spill = {
  write: () => Promise.reject(new Error('no folder is configured for metered requests that cannot be stored')),
  files: async () => [],
  read: async () => undefined,
  remove: async () => {},
  requestCount: 0,
  oldestAt: undefined,
  hasRoom: () => true,
}
