import type { IncomingMessage } from 'node:http'
import { maxTimeMs } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'
import type { Bytes, InternFileContent, InternFiles } from '../contract/files.ts'
import { Refusal } from '../contract/refusal.ts'
import { type DaemonClient, maxResponseBytes, readText } from './daemon-client.ts'
import { parseResponse } from './read-response.ts'

/** A thousand entries with the longest names and targets. Each character needs up to six bytes. */
const maxPageBytes = 32 * 1024 * 1024

/** The time limit of a change without an upload: a folder that is removed can have very many files. */
const changeTimeoutMs = 15 * 60_000

const modifiedAt = z.number().min(-maxTimeMs).max(maxTimeMs)
const size = z.int().min(0)

const PageResponse = z.object({
  entries: z
    .array(
      z.object({
        name: z.string(),
        isNameValid: z.boolean(),
        kind: z.enum(['file', 'folder', 'link', 'other']),
        size,
        modifiedAt,
        isExecutable: z.boolean(),
        target: z.string().nullable(),
      }),
    )
    .max(1000),
  next: z.string().optional(),
})
const FileDescription = z.object({
  size,
  modifiedAt,
  tag: z.string().regex(/^[\w-]{1,100}$/),
  part: z.object({ from: z.int().min(0), to: z.int().min(0) }).nullable(),
})
const MadeResponse = z.object({ made: z.boolean() })
const WriteResponse = MadeResponse.extend({ size })
const UnpackResponse = z.object({ files: z.number(), folders: z.number(), links: z.number(), bytes: z.number() })
const EmptyResponse = z.object({})

/** The files of an intern, through its daemon or the server of its host. */
export function connectFiles({ send, requestText }: DaemonClient): InternFiles {
  const resourcePath = (resource: string, query: Query) => `/files/${resource}?${encodeQuery(query)}`
  async function change<Result>(schema: z.ZodType<Result>, method: string, resource: string, query: Query) {
    const options = { maxBytes: maxResponseBytes, timeoutMs: changeTimeoutMs }
    return parseResponse(schema, await requestText(method, resourcePath(resource, query), options))
  }
  /** An upload can take any time. Its client ends it by disconnecting. */
  async function upload<Result>(
    schema: z.ZodType<Result>,
    [resource, query]: [resource: string, query: Query],
    body: Bytes,
    signal: AbortSignal,
  ) {
    const response = await send('PUT', resourcePath(resource, query), body, signal)
    return parseResponse(schema, await readText(response, maxResponseBytes))
  }
  return {
    list: async (path, { limit, after }, signal) => {
      const options = { signal, maxBytes: maxPageBytes }
      return parseResponse(
        PageResponse,
        await requestText('GET', resourcePath('list', { path, limit, after }), options),
      )
    },
    read: async (path, { range = {}, ifRangeTag }, signal) =>
      parseContent(await send('GET', resourcePath('content', { path, ...range, if: ifRangeTag }), undefined, signal)),
    write: (path, body, replace, signal) => upload(WriteResponse, ['content', { path, replace }], body, signal),
    remove: async (path, recursive) => void (await change(EmptyResponse, 'DELETE', 'content', { path, recursive })),
    makeFolder: (path) => change(MadeResponse, 'POST', 'folder', { path }),
    rename: async (path, to, replace) => void (await change(EmptyResponse, 'POST', 'rename', { path, to, replace })),
    pack: (path, signal) => send('GET', resourcePath('archive', { path }), undefined, signal),
    unpack: (path, archive, signal) => upload(UnpackResponse, ['archive', { path }], archive, signal),
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
  try {
    const { part, ...file } = parseResponse(FileDescription, decodeHeader(response.headers['x-file']))
    const { from, to } = part ?? { from: 0, to: file.size }
    const isEmptyPart = part !== null && from === to
    if (from > to || isEmptyPart || to > file.size || Number(response.headers['content-length']) !== to - from)
      throw new Refusal('intern_rejected', 'The response of the intern has another part of the file than it announces.')
    return { ...file, part: part ?? undefined, body: response }
  } catch (error) {
    response.destroy()
    throw error
  }
}

/** Undecodable text is not JSON, which the schema refuses. */
function decodeHeader(header: string | string[] | undefined): string {
  try {
    return decodeURIComponent(typeof header === 'string' ? header : '')
  } catch {
    return ''
  }
}
