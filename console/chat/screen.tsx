import '../components/lazy-chunk.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { runOrToast } from '../components/form/use-action.ts'
import { Heading } from '../components/page/heading.tsx'
import { NoCredentials } from '../components/page/no-credentials.tsx'
import { EmptyState, FailureState } from '../components/page/page-states.tsx'
import { ReplyView } from '../components/reply/reply-view.tsx'
import { countText } from '../format/count.ts'
import { Composer } from './composer.tsx'
import { earlierMessages, retryReply, turns } from './conversation.ts'
import { ModelBar, useModelChoices, useSelectedModels } from './model-bar.tsx'
import { startNewChat } from './new-chat.tsx'
import { useReopenedRequest } from './reopen-request.ts'
import type { Turn } from './request.ts'
import { SettingsPanel } from './settings-panel.tsx'

/** Up to four models or presets, which answer the same prompt. */
export function Screen() {
  const { models, setModels } = useSelectedModels()
  const { choices, failure, reload } = useModelChoices()
  const [isSettingsOpen, setSettingsOpen] = useState(false)
  const problem = useReopenedRequest(useLocation().query.again, startNewChat)
  return (
    <div class="screen">
      <Heading isHidden>Chat</Heading>
      <div class={isSettingsOpen ? 'split open' : 'split'}>
        <div class="screen">
          <ModelBar
            models={models}
            onChange={setModels}
            choices={choices ?? []}
            isSettingsOpen={isSettingsOpen}
            onToggleSettings={() => setSettingsOpen(!isSettingsOpen)}
          />
          {problem && (
            <p class="notice" role="status">
              {problem}
            </p>
          )}
          {failure && !choices && turns.value.length === 0 ? (
            <div class="conversation-scroller">
              <FailureState failure={failure} onRetry={reload} />
            </div>
          ) : (
            <Conversation models={models} choices={choices} onChange={setModels} />
          )}
          <Composer models={models} />
        </div>
        {isSettingsOpen && <SettingsPanel models={models} onClose={() => setSettingsOpen(false)} />}
      </div>
    </div>
  )
}

type ConversationProps = { models: string[]; choices: string[] | undefined; onChange: (models: string[]) => void }

/** Within this distance from the end, new text scrolls into view. */
const followDistancePx = 60

function Conversation({ models, choices, onChange }: ConversationProps) {
  const section = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  const allTurns = turns.value
  useEffect(() => {
    const element = section.current
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [allTurns])
  const trackPosition = ({
    currentTarget: { scrollTop, clientHeight, scrollHeight },
  }: {
    currentTarget: HTMLElement
  }) => {
    isAtEnd.current = scrollTop + clientHeight > scrollHeight - followDistancePx
  }
  return (
    <section
      class="conversation-scroller"
      ref={section}
      onScroll={trackPosition}
      aria-label="Conversation"
      tabIndex={0}
    >
      {earlierMessages.value.length > 0 && (
        <p class="dim">
          {countText(earlierMessages.value.length, 'earlier message')} of the request will be sent first.
        </p>
      )}
      {allTurns.map((turn) => (
        <TurnView key={turn.id} turn={turn} />
      ))}
      {allTurns.length === 0 && <EmptyChat models={models} choices={choices} onChange={onChange} />}
    </section>
  )
}

function TurnView({ turn }: { turn: Turn }) {
  const { id, text, images, replies } = turn
  return (
    <div class="turn">
      <div class="said">
        {text}
        {images.map((url, index) => (
          <img
            // Not the URL itself: a data URL can have megabytes, and can occur twice.
            key={`${index} ${url.length}`}
            src={url}
            alt={`Attachment ${index + 1}`}
          />
        ))}
      </div>
      <div class="replies">
        {Object.entries(replies).map(([model, reply]) => (
          <ReplyView
            key={model}
            name={model}
            reply={reply}
            onRetry={() => void runOrToast(async () => retryReply(id, model))}
          />
        ))}
      </div>
    </div>
  )
}

const maxSuggestedModels = 6

/** The empty chat: suggests models. */
function EmptyChat({ models, choices, onChange }: ConversationProps) {
  if (choices?.length === 0) {
    return (
      <EmptyState title="No models available" command="npx signalbox catalogue sync">
        <p>
          The catalogue is empty, or a guardrail blocks all models. The operator of the service can fetch a catalogue:
        </p>
      </EmptyState>
    )
  }
  return (
    <div class="state">
      <h2>{models.length === 0 ? 'Choose a model' : `Ready: ${countText(models.length, 'model')}`}</h2>
      <p class="dim">
        Up to four models or presets respond side by side. Each request is charged to your key and listed in the request
        log.
      </p>
      <NoCredentials />
      {models.length === 0 && (
        <p class="suggested-models">
          {(choices ?? []).slice(0, maxSuggestedModels).map((one) => (
            <button key={one} type="button" onClick={() => onChange([one])}>
              {one}
            </button>
          ))}
        </p>
      )}
    </div>
  )
}
