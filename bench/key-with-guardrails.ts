import { requestJson } from './intern-api.ts'

/** Creates a key in a separate workspace, with three guardrails: of the workspace, of its member and of the key. */
export async function createKeyWithGuardrails(
  base: string,
  managementKey: string,
  { hasFilters }: { hasFilters: boolean },
): Promise<string> {
  const request = (method: string, path: string, body: object) => requestJson(base, method, path, body, managementKey)
  const slug = hasFilters ? 'filtered' : 'guarded'
  const { data: workspace } = await request('POST', '/workspaces', { name: slug, slug })
  const created = await request('POST', '/keys', { name: slug, workspace_id: workspace.id, limit: 500_000 })
  const policy = {
    limit_usd: 1_000_000,
    reset_interval: 'monthly',
    allowed_models: ['canned/model', 'canned/slow'],
    allowed_providers: ['canned', 'other'],
    allowed_data_regions: ['global'],
    enable_free_model_training: false,
    ...(hasFilters && {
      content_filter_builtins: [
        { slug: 'email', action: 'redact' },
        { slug: 'credit-card', action: 'block' },
      ],
    }),
  }
  await request('PATCH', `/guardrails/${workspace.default_guardrail_id}`, policy)
  for (const kind of ['keys', 'members']) {
    const { data } = await request('POST', '/guardrails', { name: kind, workspace_id: workspace.id, ...policy })
    const targets =
      kind === 'keys' ? { key_hashes: [created.data.hash] } : { member_user_ids: [created.data.creator_user_id] }
    await request('POST', `/guardrails/${data.id}/assignments/${kind}`, targets)
  }
  return created.key
}
