import type { InternRecord } from '#interns/registry/intern.ts'
import { type Intern, toInternRecord } from '#interns/registry/intern-store.ts'
import type { ApiDeps } from '../access/deps.ts'

type InternResponseDeps = Pick<ApiDeps, 'internHosts'>

/** Returns interns in their public form, each with the status of its host. */
export async function toInternResponses(
  { internHosts }: InternResponseDeps,
  interns: Intern[],
): Promise<InternRecord[]> {
  const stateOf = await internHosts.readStates(interns.map(({ hostname }) => hostname))
  return interns.map((intern) => ({ ...toInternRecord(intern), host: stateOf(intern.hostname) }))
}

export async function toInternResponse({ internHosts }: InternResponseDeps, intern: Intern): Promise<InternRecord> {
  return { ...toInternRecord(intern), host: await internHosts.readState(intern.hostname) }
}
