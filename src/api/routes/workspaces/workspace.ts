import { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import { z } from '#platform/json/schema.ts'

/** Features that other services offer for each workspace and this one does not. Clients expect the fields. */
const AbsentFeatures = z.object({
  default_text_model: z.null(),
  default_image_model: z.null(),
  default_provider_sort: z.null(),
  is_data_discount_logging_enabled: z.literal(false),
  is_observability_broadcast_enabled: z.literal(false),
})
const absentFeatures: z.infer<typeof AbsentFeatures> = {
  default_text_model: null,
  default_image_model: null,
  default_provider_sort: null,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: false,
}

export const Workspace = WorkspaceRecord.extend(AbsentFeatures.shape).meta({
  id: 'Workspace',
  description: 'A part of the organization, with its own keys, guardrails and presets.',
})

export const WorkspaceParams = z.object({ id: z.string().describe('ID or slug of the workspace.') })

export function toWorkspaceResponse(record: WorkspaceRecord): z.infer<typeof Workspace> {
  return { ...record, ...absentFeatures }
}
