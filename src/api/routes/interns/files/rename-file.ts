import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { fileFaults, storageRoles, withFiles } from '../../../interns/intern-files.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'

const Path = z.string().min(1).max(4096)

export const renameInternFile = route({
  method: 'post',
  path: '/interns/{internId}/files/rename',
  tag: 'interns',
  key: 'api',
  roles: storageRoles,
  summary: 'Rename or move a file or folder of an intern’s workspace',
  description: 'The target folder must exist. An existing file is replaced only with `replace`.',
  request: { params: InternParams, body: strictFields({ from: Path, to: Path, replace: z.boolean().default(false) }) },
  response: z.object({ renamed: z.literal(true) }),
  faults: [...fileFaults],
  handler: async ({ params, body: { from, to, replace }, caller, host, response }, deps) => {
    await withFiles(
      deps,
      { caller, host, response },
      {
        internId: params.internId,
        auditAction: 'intern.file_renamed',
        paths: { from, to },
        run: (files) => files.rename(from, to, replace),
      },
    )
    return { renamed: true as const }
  },
})
