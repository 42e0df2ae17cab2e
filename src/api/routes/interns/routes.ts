import type { Route } from '../route.ts'
import { chatWithIntern } from './chat.ts'
import { createInternRoute } from './create.ts'
import { deleteInternRoute } from './delete.ts'
import { deleteInternFile } from './files/delete-file.ts'
import { listInternFiles } from './files/list-files.ts'
import { createInternFolder } from './files/make-folder.ts'
import { getInternArchive } from './files/read-archive.ts'
import { getInternFile } from './files/read-file.ts'
import { renameInternFile } from './files/rename-file.ts'
import { writeInternArchive } from './files/write-archive.ts'
import { writeInternFile } from './files/write-file.ts'
import { getIntern } from './get.ts'
import { getInternLog } from './get-log.ts'
import { giveUpInternRoute } from './give-up.ts'
import { listInternsRoute } from './list.ts'
import { listInternHosts } from './list-hosts.ts'
import { moveInternRoute } from './move.ts'
import { provisionInternRoute } from './provision.ts'
import { getInternQuestion } from './questions/get-question.ts'
import { listQuestions } from './questions/list-all-questions.ts'
import { listInternQuestions } from './questions/list-questions.ts'
import { getInternRules } from './rules/get-rules.ts'
import { replayInternRules } from './rules/replay-rules.ts'
import { setInternRules } from './rules/set-rules.ts'
import { cancelInternRun } from './runs/cancel-run.ts'
import { getInternRun } from './runs/get-run.ts'
import { listInternRuns } from './runs/list-runs.ts'
import { createInternSessionChatCompletion } from './sessions/chat-in-session.ts'
import { getInternSession } from './sessions/get-session.ts'
import { listInternSessionEvents } from './sessions/list-session-events.ts'
import { listInternSessionRequests } from './sessions/list-session-requests.ts'
import { listInternSessions } from './sessions/list-sessions.ts'
import { suspendInternRoute } from './suspend.ts'
import { updateInternRoute } from './update.ts'

export const internRoutes = {
  chatWithIntern,
  createInternSessionChatCompletion,
  listInterns: listInternsRoute,
  listQuestions,
  listInternHosts,
  createIntern: createInternRoute,
  getIntern,
  updateIntern: updateInternRoute,
  provisionIntern: provisionInternRoute,
  suspendIntern: suspendInternRoute,
  moveIntern: moveInternRoute,
  giveUpIntern: giveUpInternRoute,
  deleteIntern: deleteInternRoute,
  getInternRules,
  setInternRules,
  replayInternRules,
  listInternQuestions,
  getInternQuestion,
  listInternRuns,
  getInternRun,
  cancelInternRun,
  listInternFiles,
  getInternFile,
  writeInternFile,
  deleteInternFile,
  createInternFolder,
  renameInternFile,
  getInternArchive,
  getInternLog,
  writeInternArchive,
  listInternSessions,
  getInternSession,
  listInternSessionEvents,
  listInternSessionRequests,
} satisfies Record<string, Route>
