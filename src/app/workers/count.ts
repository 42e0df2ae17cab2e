import type { Config } from '#platform/config/settings.ts'

/**
 * The number of processes that answer requests.
 * @param cores the cores that this process may use. One is left to the primary, which writes the database of all.
 */
export function countWorkers(workers: Config['workers'], cores: number): number {
  return workers === 'auto' ? Math.max(1, cores - 1) : workers
}
