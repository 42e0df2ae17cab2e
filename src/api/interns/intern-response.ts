import type { InternResponse } from '#interns/registry/intern.ts'
import { type Intern, toHostlessResponse } from '#interns/registry/intern-store.ts'
import type { ApiDeps } from '../access/deps.ts'

type InternResponseDeps = Pick<ApiDeps, 'internHosts'>

/** Returns the public representation of interns, each with the status of its host. */
export async function toInternResponses(
  { internHosts }: InternResponseDeps,
  interns: Intern[],
): Promise<InternResponse[]> {
  const stateOf = await internHosts.readStates(interns.map(({ hostname }) => hostname))
  return interns.map((intern) => ({ ...toHostlessResponse(intern), host: stateOf(intern.hostname) }))
}

export async function toInternResponse({ internHosts }: InternResponseDeps, intern: Intern): Promise<InternResponse> {
  return { ...toHostlessResponse(intern), host: await internHosts.readState(intern.hostname) }
}
