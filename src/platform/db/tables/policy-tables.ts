/** Guardrails and presets. */
export type PolicyTables = {
  guardrails: {
    id: string
    workspace_id: string
    name: string
    description: string | null
    /** JSON of `Policy`. */
    policy: string
    created_at: number
    updated_at: number
  }
  guardrail_assignments: {
    id: string
    guardrail_id: string
    workspace_id: string
    /** `key` or `member`; each target has at most one guardrail of a workspace. */
    target_kind: string
    /** The key's hash or the member's user id. */
    target_id: string
    assigned_by: string
    created_at: number
  }
  presets: {
    id: string
    workspace_id: string
    creator_user_id: string
    name: string
    slug: string
    description: string | null
    /** `active`, `disabled` or `archived`. */
    status: string
    status_updated_at: number | null
    /** The version that requests use. */
    designated_version_id: string
    created_at: number
    updated_at: number
  }
  preset_versions: {
    id: string
    preset_id: string
    version: number
    creator_id: string
    system_prompt: string | null
    /** JSON: the fields that the preset adds to requests. */
    config: string
    created_at: number
    updated_at: number
  }
}
