import type { Config } from '#platform/config/settings.ts'

/**
 * The number of processes that answer requests.
 * @param cores the number of cores that this process can use. One is left to the primary, which owns the embedded database.
 */
export function countWorkers(workers: Config['workers'], cores: number): number {
  return workers === 'auto' ? Math.max(1, cores - 1) : workers
}
