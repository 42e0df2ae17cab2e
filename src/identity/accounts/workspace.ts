import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import type { Tables } from '#platform/db/tables.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import { IoLogging, toIoLogging } from './io-logging.ts'

const Slug = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'expected lowercase letters and digits, in parts separated by single hyphens')
  .describe('Its name in URLs, unique in the organization.')

/** The fields of a new workspace that a client can set. */
export const NewWorkspace = strictFields({
  name: text({ min: 1, max: 200 }),
  slug: Slug,
  description: text({ max: 1000 }).nullish(),
})
  .extend(IoLogging.partial().shape)
  .meta({ id: 'NewWorkspace' })
export type NewWorkspace = z.output<typeof NewWorkspace>

/** The fields of a workspace that can be changed. Omitted fields are not changed. */
export const WorkspacePatch = NewWorkspace.partial().meta({ id: 'WorkspacePatch' })
export type WorkspacePatch = z.output<typeof WorkspacePatch>

/** A workspace in the form of the API and the audit log. */
export const WorkspaceRecord = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  default_guardrail_id: z
    .string()
    .describe('The guardrail for all requests of the workspace. It is created by its first update.'),
  created_by: z.string().nullable(),
  ...IoLogging.shape,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type WorkspaceRecord = z.infer<typeof WorkspaceRecord>

export function toWorkspaceRecord(row: Selectable<Tables['workspaces']>): WorkspaceRecord {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    default_guardrail_id: row.default_guardrail_id,
    created_by: row.created_by,
    ...toIoLogging(row),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}
