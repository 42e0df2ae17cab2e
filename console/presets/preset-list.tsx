import { useLocation } from 'preact-iso/router'
import { useAllRows } from '../api/pages.ts'
import type { Preset } from '../api/types.ts'
import { Heading } from '../components/heading.tsx'
import { EmptyState, FailureState, Loading, Progress } from '../components/page-states.tsx'
import { type Column, Table } from '../components/table.tsx'
import { RelativeTime } from '../components/timestamp.tsx'
import { counted } from '../format/count.ts'

const paste = `curl "$BASE_URL/presets/haiku/chat/completions" -H "Authorization: Bearer $MANAGEMENT_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"model": "signalbox/demo", "messages": [{"role": "system", "content": "Answer with a haiku."}]}'`

/** All visible presets. */
export function PresetList() {
  const { route } = useLocation()
  const { data: presets, failure, isLoading, isCurrent, reload } = useAllRows('GET /presets', {})
  return (
    <div class="screen">
      <Heading isUnseen>Presets</Heading>
      <Progress isOn={isLoading && !isCurrent} />
      <div class="bar">
        <span class="dim" role="status">
          {presets ? counted(presets.length, 'preset') : ''}
        </span>
      </div>
      {failure && <FailureState failure={failure} retry={reload} />}
      {!failure && !presets && <Loading />}
      {!failure && presets?.length === 0 && (
        <EmptyState title="No presets yet" paste={paste}>
          <p>Save the settings of a chat as a preset, or run:</p>
        </EmptyState>
      )}
      {!failure && presets && presets.length > 0 && (
        <Table<Preset>
          label="Presets"
          rows={presets}
          columns={columns}
          keyOf={({ id }) => id}
          onOpen={({ slug }) => route(`/presets/${slug}`)}
          narrow={Narrow}
        />
      )}
    </div>
  )
}

const columns: Column<Preset>[] = [
  { name: 'slug', title: 'name', width: 'minmax(140px, 1fr)', cell: ({ slug }) => <b>@preset/{slug}</b> },
  { name: 'says', title: 'description', width: 'minmax(140px, 2fr)', cell: ({ description }) => description },
  { name: 'status', title: 'status', width: '90px', cell: ({ status }) => status },
  { name: 'changed', title: 'updated', width: '110px', cell: ({ updated_at }) => <RelativeTime time={updated_at} /> },
]

function Narrow({ slug, status, updated_at }: Preset) {
  return (
    <div class="two-lines">
      <div>
        <b>@preset/{slug}</b>
      </div>
      <div class="dim">
        <span>
          {status}, updated <RelativeTime time={updated_at} />
        </span>
      </div>
    </div>
  )
}
