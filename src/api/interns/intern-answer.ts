import type { InternRecord } from '#interns/registry/intern.ts'
import { type Intern, internRecord } from '#interns/registry/store.ts'
import type { ApiDeps } from '../access/deps.ts'

type AnswerDeps = Pick<ApiDeps, 'internHosts'>

/** Returns interns in their public form, each with the status of its host. */
export async function internAnswers({ internHosts }: AnswerDeps, interns: Intern[]): Promise<InternRecord[]> {
  const standing = await internHosts.standings(interns.map(({ hostname }) => hostname))
  return interns.map((intern) => ({ ...internRecord(intern), host: standing(intern.hostname) }))
}

export async function internAnswer({ internHosts }: AnswerDeps, intern: Intern): Promise<InternRecord> {
  return { ...internRecord(intern), host: await internHosts.standing(intern.hostname) }
}
