import type { IncomingMessage } from 'node:http'
import { z } from '#platform/json/schema.ts'
import type { Bytes, InternFileContent, InternFiles } from '../contract/files.ts'
import { Refusal } from '../contract/refusal.ts'
import { parseAnswer } from './read-answer.ts'

/** A thousand entries with the longest names and targets. Each character needs up to six bytes. */
const maxPageBytes = 32 * 1024 * 1024
const maxAnswerBytes = 64 * 1024

type FilesClient = {
  send: (method: string, path: string, body?: Bytes, signal?: AbortSignal) => Promise<IncomingMessage>
  readText: (response: IncomingMessage, maxBytes: number) => Promise<string>
}

const PageAnswer = z.object({
  entries: z
    .array(
      z.object({
        name: z.string(),
        isNameValid: z.boolean(),
        kind: z.enum(['file', 'folder', 'link', 'other']),
        size: z.number(),
        modifiedAt: z.number(),
        isExecutable: z.boolean(),
        target: z.string().nullable(),
      }),
    )
    .max(1000),
  next: z.string().optional(),
})
const FileHead = z.object({
  size: z.int().min(0),
  modifiedAt: z.number(),
  tag: z.string().regex(/^[\w-]{1,100}$/),
  part: z.object({ from: z.int().min(0), to: z.int().min(0) }).nullable(),
})
const MadeAnswer = z.object({ made: z.boolean() })
const WriteAnswer = MadeAnswer.extend({ size: z.number() })
const UnpackAnswer = z.object({ files: z.number(), folders: z.number(), links: z.number(), bytes: z.number() })
const EmptyAnswer = z.object({})

/** The files of an intern, through its daemon or the server of its host. */
export function connectFiles({ send, readText }: FilesClient): InternFiles {
  const resourcePath = (resource: string, query: Query) => `/files/${resource}?${encodeQuery(query)}`
  async function request<Answer>(
    schema: z.ZodType<Answer>,
    [method, resource, query]: [method: string, resource: string, query: Query],
    body?: Bytes,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const response = await send(method, resourcePath(resource, query), body, signal)
    return parseAnswer(schema, await readText(response, resource === 'list' ? maxPageBytes : maxAnswerBytes))
  }
  return {
    list: (path, { limit, after }) => request(PageAnswer, ['GET', 'list', { path, limit, after }]),
    read: async (path, { range = {}, ifTag }, signal) =>
      parseContent(await send('GET', resourcePath('content', { path, ...range, if: ifTag }), undefined, signal)),
    write: (path, body, replace, signal) => request(WriteAnswer, ['PUT', 'content', { path, replace }], body, signal),
    remove: async (path, recursive) => void (await request(EmptyAnswer, ['DELETE', 'content', { path, recursive }])),
    makeFolder: (path) => request(MadeAnswer, ['POST', 'folder', { path }]),
    rename: async (path, to, replace) => void (await request(EmptyAnswer, ['POST', 'rename', { path, to, replace }])),
    pack: (path, signal) => send('GET', resourcePath('archive', { path }), undefined, signal),
    unpack: (path, archive, signal) => request(UnpackAnswer, ['PUT', 'archive', { path }], archive, signal),
  }
}

type Query = Record<string, string | number | boolean | undefined>

function encodeQuery(query: Query): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return new URLSearchParams(parameters).toString()
}

/** Checks that the body has exactly the announced range. */
function parseContent(response: IncomingMessage): InternFileContent {
  const header = response.headers['x-file']
  const { part, ...head } = parseAnswer(FileHead, decodeURIComponent(typeof header === 'string' ? header : ''))
  const [from, to] = part ? [part.from, part.to] : [0, head.size]
  if (from > to || to > head.size || Number(response.headers['content-length']) !== to - from) {
    response.destroy()
    throw new Refusal('intern_rejected', 'The response of the intern has another part of the file than it announces.')
  }
  return { ...head, part: part ?? undefined, body: response }
}
