import { useState } from 'preact/hooks'
import { addressOf, open } from '../api/client.ts'
import { failureOf } from '../api/failure.ts'
import { useGet } from '../api/resource.ts'
import { csrfToken } from '../api/session.ts'
import { counted } from '../format/count.ts'
import { attempt } from '../pieces/acting.ts'
import { Failed, Loading } from '../pieces/states.tsx'
import { Ago } from '../pieces/when.tsx'
import { shown } from './shown.ts'

const list = 'GET /interns/{internId}/files'
const content = 'GET /interns/{internId}/files/content'
const archive = 'GET /interns/{internId}/files/archive'
/** As much of a text as is read here. */
const mostRead = 65_536

/** The files of an intern: a folder at a time, texts to read, all to download, and more to upload. */
export function Files({ id }: { id: string }) {
  const [folder, enter] = useState('')
  const [read, show] = useState<{ path: string; text: string }>()
  const params = { internId: id }
  const { data, failure, reload } = useGet(list, { params, query: { path: folder, limit: 500 } })
  const below = (name: string) => (folder ? `${folder}/${name}` : name)
  const go = (path: string) => {
    show(undefined)
    enter(path)
  }
  const openText = (path: string) =>
    attempt(async () => {
      const headers = { range: `bytes=0-${mostRead - 1}` }
      const answer = await open(content, { params, query: { path } }, { headers }).catch((error) => {
        // Nothing of an empty file can be asked for.
        if (error.status === 416) return new Response('')
        throw error
      })
      const text = await answer.text()
      const isCut = Number(answer.headers.get('content-range')?.split('/')[1]) > mostRead
      show({ path, text: text.includes('\0') ? 'This is no text: download it.' : `${text}${isCut ? '\n…' : ''}` })
    })
  const upload = (chosen: FileList | null) =>
    attempt(async () => {
      for (const file of chosen ?? []) await put(id, below(file.name), file)
      reload()
    })
  return (
    <>
      <h2>Files</h2>
      <p class="intern-files">
        {['', ...parents(folder)].map((path) => (
          <button key={path} type="button" disabled={path === folder} onClick={() => go(path)}>
            {shown(path.split('/').at(-1)!) || 'workspace'}
          </button>
        ))}
        <a href={addressOf(archive, { params, query: { path: folder } })} download>
          Download as tar.gz
        </a>
        <label>
          Upload <input type="file" multiple onChange={({ currentTarget }) => void upload(currentTarget.files)} />
        </label>
      </p>
      {failure && <Failed failure={failure} again={reload} />}
      {!failure && !data && <Loading />}
      {data?.data.length === 0 && <p class="dim">Empty.</p>}
      <ul class="interns">
        {data?.data.map(({ name, kind, size, modified_at, addressable }) => (
          <li key={name}>
            {addressable && (kind === 'folder' || kind === 'file') ? (
              <button type="button" onClick={() => (kind === 'folder' ? go(below(name)) : void openText(below(name)))}>
                {shown(name)}
                {kind === 'folder' && '/'}
              </button>
            ) : (
              <span>{shown(name)}</span>
            )}
            <span class="dim">{kind === 'file' ? counted(size, 'byte') : kind}</span>
            <span class="dim about">
              {kind === 'file' && addressable && (
                <a href={addressOf(content, { params, query: { path: below(name) } })} download>
                  Download
                </a>
              )}{' '}
              <Ago time={modified_at} />
            </span>
          </li>
        ))}
      </ul>
      {data?.has_more && <p class="dim">There are more: the command line lists them all.</p>}
      {read && (
        <section aria-label={shown(read.path)}>
          <h3>{shown(read.path)}</h3>
          <pre>{shown(read.text)}</pre>
        </section>
      )}
    </>
  )
}

const parents = (folder: string) =>
  folder ? folder.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/')) : []

/** A file there of that name stays: it may be the intern's work. */
async function put(internId: string, path: string, body: File): Promise<void> {
  const response = await fetch(
    addressOf('PUT /interns/{internId}/files/content', { params: { internId }, query: { path, keep: 'true' } }),
    { method: 'PUT', body, headers: { 'x-csrf-token': csrfToken() ?? '' }, credentials: 'same-origin' },
  )
  if (!response.ok) throw await failureOf(response)
}
