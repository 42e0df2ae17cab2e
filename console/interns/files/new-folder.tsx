import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import { escapeInvisible } from '../visible-text.ts'

/** A form that creates a folder in the current folder. Undo deletes the new folder if it is still empty. */
export function NewFolder({
  internId,
  pathInFolder,
  onDone,
}: {
  internId: string
  pathInFolder: (name: string) => string
  onDone: () => void
}) {
  const [name, setName] = useState('')
  const params = { internId }
  const createFolder = async () => {
    const path = pathInFolder(name)
    const { data } = await call('POST /interns/{internId}/files/folders', { params, body: { path } })
    setName('')
    onDone()
    const undo = async () => {
      await call('DELETE /interns/{internId}/files', { params, query: { path } })
      onDone()
    }
    toast(`Folder ${escapeInvisible(name)} ${data.created ? 'created' : 'already exists'}`, {
      undo: data.created ? () => void runOrToast(undo) : undefined,
    })
  }
  return (
    <form
      class="new-folder"
      onSubmit={(event) => {
        event.preventDefault()
        void runOrToast(createFolder)
      }}
    >
      <input
        aria-label="Name of the new folder"
        placeholder="New folder"
        required
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit">Create</button>
    </form>
  )
}
