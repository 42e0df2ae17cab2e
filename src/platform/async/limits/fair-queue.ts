/** The key that a job belongs to, and its workspace. */
export type Requester = { workspaceId: string; keyHash: string }

type Keys<Job> = Map<string, Job[]>

/**
 * Jobs that take turns: first by workspace, then by key within a workspace. A workspace with many jobs delays another
 * workspace by at most one job. Maps are in the order of the next turns.
 */
export class FairQueue<Job extends { requester: Requester }> {
  readonly #workspaces = new Map<string, Keys<Job>>()

  get isEmpty(): boolean {
    return this.#workspaces.size === 0
  }

  add(job: Job): void {
    const { workspaceId, keyHash } = job.requester
    const keys = this.#workspaces.get(workspaceId) ?? new Map<string, Job[]>()
    const jobs = keys.get(keyHash) ?? []
    jobs.push(job)
    keys.set(keyHash, jobs)
    this.#workspaces.set(workspaceId, keys)
  }

  /** The waiting jobs of one key, in order. */
  waitingJobs({ workspaceId, keyHash }: Requester): readonly Job[] {
    return this.#workspaces.get(workspaceId)?.get(keyHash) ?? []
  }

  /** Removes and returns the next job of a workspace that `canRun` accepts. */
  take(canRun: (workspaceId: string) => boolean): Job | undefined {
    for (const [workspaceId, keys] of this.#workspaces) {
      if (!canRun(workspaceId)) continue
      const [keyHash, jobs] = keys.entries().next().value!
      const job = jobs.shift()!
      keys.delete(keyHash)
      if (jobs.length > 0) keys.set(keyHash, jobs)
      this.#workspaces.delete(workspaceId)
      if (keys.size > 0) this.#workspaces.set(workspaceId, keys)
      return job
    }
    return undefined
  }

  /** @returns whether the job was waiting. */
  remove(job: Job): boolean {
    const { workspaceId, keyHash } = job.requester
    const keys = this.#workspaces.get(workspaceId)
    const jobs = keys?.get(keyHash)
    const at = jobs?.indexOf(job) ?? -1
    if (!keys || !jobs || at === -1) return false
    jobs.splice(at, 1)
    if (jobs.length === 0) keys.delete(keyHash)
    if (keys.size === 0) this.#workspaces.delete(workspaceId)
    return true
  }
}
