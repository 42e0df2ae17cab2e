import { PresetSlug } from '#gateway/presets/preset.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { resolveWorkspaceId } from '#identity/accounts/workspaces.ts'
import type { Db } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'

export const PresetParams = z.object({ slug: PresetSlug })

export const PresetWorkspace = z.object({
  workspace_id: z
    .string()
    .max(100)
    .optional()
    .describe('ID or slug of the workspace. Defaults to the workspace of the calling key.'),
})

/** The query of requests that change presets. Other parameters are refused. */
export const StrictPresetWorkspace = strictFields(PresetWorkspace.shape)

/** The caller in the workspace that a request names. @throws Fault `invalid` or `forbidden`. */
export async function callerInWorkspace(
  deps: { db: Db },
  caller: Caller,
  { workspace_id }: z.output<typeof PresetWorkspace>,
): Promise<Caller> {
  return { ...caller, workspaceId: await resolveWorkspaceId(deps, caller, workspace_id) }
}

export const VersionParams = PresetParams.extend({
  version: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be a whole number, at least 1')
    .transform(Number)
    .describe('The version number.'),
})
