import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestService } from '../service/service.ts'

type FilesCaller = Pick<TestService, 'url'> & { apiKey?: string; key?: string }

/** The answer to a request for the files of an intern. */
export type FileResponse = { status: number; headers: Headers; bytes: Buffer; body: any }

/**
 * Requests the files of an intern as this caller: the resource is `content`, `archive`, `folders` or `rename`;
 * empty for the list.
 */
export function createFilesClient(service: FilesCaller, id: string) {
  const key = service.apiKey ?? service.key
  return async (
    method: string,
    resource: string,
    query: Record<string, string> = {},
    options: { body?: NonNullable<RequestInit['body']> | object; headers?: Record<string, string> } = {},
  ): Promise<FileResponse> => {
    const { body: requestBody, headers } = options
    const isPlain = requestBody !== undefined && Object.getPrototypeOf(requestBody) === Object.prototype
    const url = `${service.url}/interns/${id}/files${resource && `/${resource}`}?${new URLSearchParams(query)}`
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(isPlain && { 'content-type': 'application/json' }), ...headers },
      ...(requestBody !== undefined && {
        body: (isPlain ? JSON.stringify(requestBody) : requestBody) as RequestInit['body'] & {},
      }),
      ...({ duplex: 'half' } as object),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.includes('json')
    const body = isJson ? JSON.parse(bytes.toString()) : undefined
    return { status: response.status, headers: response.headers, bytes, body }
  }
}

/** The path of the intern's workspace. */
export const workspaceOf = ({ testStore }: Pick<TestService, 'testStore'>, id: string) =>
  join(testStore.settings.data_dir, 'interns', id, 'workspace')

/** A tar.gz by the tar of the system, with the files that `fill` writes into a folder. */
export function createTar(fill: (folder: string) => void, options: string[] = [], paths = ['.']): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tar-'))
  try {
    fill(folder)
    return execFileSync('tar', ['-czf', '-', '-C', folder, ...options, ...paths], { maxBuffer: 1024 ** 3 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
