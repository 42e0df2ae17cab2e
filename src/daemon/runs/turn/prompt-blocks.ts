import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContentBlock } from '@agentclientprotocol/sdk'
import { type Attachment, decodeTextFile } from '#interns/contract/attachments.ts'
import type { InternFiles } from '#interns/contract/files.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import type { PromptCapabilities } from '../../acp/agent.ts'

/** The folder of the workspace for files of prompts. */
const attachmentsFolder = 'attachments'
const maxFilesOfName = 1000
/** The longest embedded text. The agent reads a longer one from its file. */
const maxEmbeddedLength = 32_000

type Prompt = { text: string; attachments: Attachment[] }
type Target = { capabilities: PromptCapabilities; workspace: string; files: Pick<InternFiles, 'write'> }

/**
 * Converts a prompt to content blocks of the protocol. Files are stored in the workspace and sent as links; a short text is
 * embedded, if the agent supports that.
 * @throws Refusal `bad_request` naming a part that the agent does not support. No file was stored then.
 */
export async function createPromptBlocks({ text, attachments }: Prompt, target: Target): Promise<ContentBlock[]> {
  for (const attachment of attachments) requireSupported(attachment, target.capabilities)
  const blocks: ContentBlock[] = text === '' ? [] : [{ type: 'text', text }]
  for (const attachment of attachments) {
    const { kind, data, mimeType } = attachment
    blocks.push(kind === 'file' ? await createFileBlock(attachment, target) : { type: kind, data, mimeType })
  }
  return blocks
}

function requireSupported({ kind, mimeType, part }: Attachment, capabilities: PromptCapabilities): void {
  if (kind === 'file' || capabilities[kind]) return
  const supported = [
    'text',
    'files',
    ...(capabilities.image ? ['images'] : []),
    ...(capabilities.audio ? ['audio'] : []),
  ]
  throw new Refusal(
    'bad_request',
    `Invalid request: content[${part}] of the last message is ${mimeType}, which this intern's agent does not accept: it accepts ${supported.join(', ')}. Send it as a part of type "file" to store it in the workspace.`,
  )
}

async function createFileBlock(
  attachment: Attachment,
  { capabilities, workspace, files }: Target,
): Promise<ContentBlock> {
  const { mimeType, data } = attachment
  const bytes = Buffer.from(data, 'base64')
  const path = await storeFile(files, attachment, bytes)
  const uri = pathToFileURL(join(workspace, path)).href
  const text = capabilities.embeddedContext ? decodeTextFile(attachment) : undefined
  if (text !== undefined && text.length <= maxEmbeddedLength)
    return { type: 'resource', resource: { uri, mimeType, text } }
  return { type: 'resource_link', name: path, uri, mimeType, size: bytes.length }
}

/** Stores a file under its name, or with a number if the name exists. @returns the path in the workspace. */
async function storeFile(files: Target['files'], { name, mimeType, part }: Attachment, bytes: Buffer): Promise<string> {
  const fileName = name ?? `file-${part}.${/^[a-z]+\/([a-z0-9]{1,8})$/.exec(mimeType)?.[1] ?? 'bin'}`
  const [, stem = fileName, ending = ''] = /^(.+?)(\.[^.]*)?$/s.exec(fileName) ?? []
  for (let at = 1; at < maxFilesOfName; at++) {
    const path = `${attachmentsFolder}/${at === 1 ? fileName : `${stem}-${at}${ending}`}`
    try {
      const replace = false
      await files.write(path, chunksOf(bytes), replace, new AbortController().signal)
      return path
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.kind === 'file_conflict') continue
      throw new Refusal(
        'bad_request',
        `Invalid request: the file of content[${part}] cannot be stored: ${error.message}`,
      )
    }
  }
  throw new Refusal(
    'bad_request',
    `Invalid request: there are ${maxFilesOfName} files named like content[${part}] already.`,
  )
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}
