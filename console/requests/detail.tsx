import { useGet } from '../api/resource.ts'
import type { Generation } from '../api/types.ts'
import { exactTime } from '../format/time.ts'
import { Copy } from '../pieces/copy.tsx'
import { Panel } from '../pieces/panel.tsx'
import { Failed, Loading } from '../pieces/states.tsx'
import { Ago } from '../pieces/when.tsx'
import { type KeyName, Outcome } from './columns.tsx'

type DetailProps = { id: string; known: Generation | undefined; keyName: KeyName; onClose: () => void }

/** One request: what happened, what it cost, what was said. */
export function Detail({ id, known, keyName, onClose }: DetailProps) {
  const { data, failure, reload } = useGet('GET /generation', known ? undefined : { query: { id } })
  const generation = known ?? data?.data
  return (
    <Panel title={generation?.model ?? id} onClose={onClose}>
      {failure && <Failed failure={failure} again={reload} />}
      {!failure && !generation && <Loading />}
      {generation && (
        <>
          <p class="dim">
            {exactTime(new Date(generation.created_at))} · <Ago time={generation.created_at} />
          </p>
          <p>
            <Outcome row={generation} /> · {keyName(generation.key_hash)} · <Copy text={generation.id}>Copy id</Copy>
          </p>
        </>
      )}
    </Panel>
  )
}
