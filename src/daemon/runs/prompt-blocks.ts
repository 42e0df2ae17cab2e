import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContentBlock } from '@agentclientprotocol/sdk'
import { type Attachment, textIn } from '#interns/contract/attachments.ts'
import type { InternFiles } from '#interns/contract/files.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import type { PromptAbilities } from '../acp/agent.ts'

/** The folder of the workspace that files of prompts are put into. */
const folder = 'attachments'
const mostOfOneName = 1000
/** A longer text is read from its file, as far as it is wanted. */
const longestEmbedded = 32_000

type Prompt = { text: string; attachments: Attachment[] }
type Around = { takes: PromptAbilities; workspace: string; files: Pick<InternFiles, 'write'> }

/**
 * A prompt as the protocol has it. A file is put into the workspace, where every agent can work with it, and named by a
 * link, or embedded where it is a short text and the agent takes that.
 * @throws Refusal `bad_request` naming the part that the agent does not take. Nothing was put anywhere then.
 */
export async function promptBlocks({ text, attachments }: Prompt, around: Around): Promise<ContentBlock[]> {
  for (const attachment of attachments) requireTaken(attachment, around.takes)
  const blocks: ContentBlock[] = text === '' ? [] : [{ type: 'text', text }]
  for (const attachment of attachments) {
    const { kind, data, mimeType } = attachment
    blocks.push(kind === 'file' ? await fileBlock(attachment, around) : { type: kind, data, mimeType })
  }
  return blocks
}

function requireTaken({ kind, mimeType, part }: Attachment, takes: PromptAbilities): void {
  if (kind === 'file' || takes[kind]) return
  const taken = ['text', 'files', ...(takes.image ? ['images'] : []), ...(takes.audio ? ['audio'] : [])]
  throw new Refusal(
    'bad_request',
    `Invalid request: content[${part}] of the last message is ${mimeType}, which this intern's agent does not take: it takes ${taken.join(', ')}. As a part of type "file" it is put into the workspace.`,
  )
}

async function fileBlock(attachment: Attachment, { takes, workspace, files }: Around): Promise<ContentBlock> {
  const { mimeType, data } = attachment
  const bytes = Buffer.from(data, 'base64')
  const path = await putInto(files, attachment, bytes)
  const uri = pathToFileURL(join(workspace, path)).href
  const text = takes.embeddedContext ? textIn(attachment) : undefined
  if (text !== undefined && text.length <= longestEmbedded)
    return { type: 'resource', resource: { uri, mimeType, text } }
  return { type: 'resource_link', name: path, uri, mimeType, size: bytes.length }
}

/** A name that is taken already is left to what has it. @returns the path in the workspace. */
async function putInto(files: Around['files'], { name, mimeType, part }: Attachment, bytes: Buffer): Promise<string> {
  const own = name ?? `file-${part}.${/^[a-z]+\/([a-z0-9]{1,8})$/.exec(mimeType)?.[1] ?? 'bin'}`
  const [, stem = own, ending = ''] = /^(.+?)(\.[^.]*)?$/s.exec(own) ?? []
  for (let at = 1; at < mostOfOneName; at++) {
    const path = `${folder}/${at === 1 ? own : `${stem}-${at}${ending}`}`
    try {
      await files.write(path, piecesOf(bytes), false, new AbortController().signal)
      return path
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.kind === 'file_conflict') continue
      throw new Refusal(
        'bad_request',
        `Invalid request: the file of content[${part}] cannot be put there: ${error.message}`,
      )
    }
  }
  throw new Refusal(
    'bad_request',
    `Invalid request: there are ${mostOfOneName} files named like content[${part}] already.`,
  )
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}
