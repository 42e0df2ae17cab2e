import { call } from '../../api/client.ts'
import type { InternRulesChange, InternRulesReplayRequest } from '../../api/types.ts'

/** The owner of rules: an intern, or a workspace for all its interns. */
export type RulesOwner = { kind: 'intern' | 'workspace'; id: string }

type Options = { signal?: AbortSignal }

/** The API calls for the rules of an owner. */
export function rulesApi({ kind, id }: RulesOwner) {
  if (kind === 'intern') {
    const params = { internId: id }
    return {
      read: (version: number | undefined, options: Options) =>
        call('GET /interns/{internId}/rules', { params, query: version === undefined ? {} : { version } }, options),
      write: (body: InternRulesChange) => call('PUT /interns/{internId}/rules', { params, body }),
      replay: (body: InternRulesReplayRequest, options: Options) =>
        call('POST /interns/{internId}/rules/replay', { params, body }, options),
    }
  }
  const params = { id }
  return {
    read: (version: number | undefined, options: Options) =>
      call('GET /workspaces/{id}/intern-rules', { params, query: version === undefined ? {} : { version } }, options),
    write: (body: InternRulesChange) => call('PUT /workspaces/{id}/intern-rules', { params, body }),
    replay: (body: InternRulesReplayRequest, options: Options) =>
      call('POST /workspaces/{id}/intern-rules/replay', { params, body }, options),
  }
}
