import { internStatuses } from '#interns/registry/intern.ts'
import type { Intern } from '#interns/registry/intern-store.ts'
import { z } from '#platform/json/schema.ts'

export const HostParams = z.object({ host: z.string().min(1).max(100).describe('The name of the host.') })

const RelocatedIntern = z
  .object({
    id: z.uuid(),
    name: z.string(),
    workspace_id: z.string(),
    creator_user_id: z.string(),
    status: z.enum(internStatuses),
  })
  .meta({ id: 'RelocatedIntern', description: 'An intern that was moved or given up, with its host.' })

/** The interns of a host that were moved or given up. */
export const RelocatedInterns = z.object({ data: z.array(RelocatedIntern) })

export const relocatedResponse = (interns: Intern[]): z.infer<typeof RelocatedInterns> => ({
  data: interns.map(({ id, name, workspaceId, creatorUserId, status }) => ({
    id,
    name,
    workspace_id: workspaceId,
    creator_user_id: creatorUserId,
    status,
  })),
})
