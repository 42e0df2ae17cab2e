import type { Config } from '#config/settings.ts'

/** How many processes answer requests. @param cores how many there are for this one. */
export function countOf(workers: Config['workers'], cores: number): number {
  return workers === 'auto' ? Math.max(1, cores) : workers
}
