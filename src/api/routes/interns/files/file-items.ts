import type { InternFile } from '#interns/contract/files.ts'
import { isoTime } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'

const path = z.string().max(4096)

export const FilePathQuery = z.object({
  path: path.min(1).describe('The path of the file or folder, relative to the workspace, separated by `/`.'),
})

export const FolderPathQuery = z.object({
  path: path.default('').describe('The folder, relative to the workspace. Defaults to the workspace itself.'),
})

export const InternFileItem = z
  .object({
    name: z.string(),
    kind: z.enum(['file', 'folder', 'link', 'other']).describe('`other` is a pipe, a socket or a device.'),
    size: z.number().int().describe('In bytes.'),
    modified_at: z.iso.datetime(),
    executable: z.boolean(),
    target: z.string().nullable().describe('The target of a link, as stored in the link.'),
    addressable: z.boolean().describe('False if the name is not valid UTF-8; invalid bytes are shown as U+FFFD.'),
  })
  .meta({ id: 'InternFile' })

export const fileItem = (file: InternFile): z.infer<typeof InternFileItem> => ({
  name: file.name,
  kind: file.kind,
  size: file.size,
  modified_at: isoTime(file.modifiedAt),
  executable: file.isExecutable,
  target: file.target,
  addressable: file.isNameValid,
})
