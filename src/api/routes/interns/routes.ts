import type { Route } from '../route.ts'
import { cancelInternRun } from './cancel-run.ts'
import { chatWithIntern } from './chat.ts'
import { chatInInternSession } from './chat-in-session.ts'
import { createOneIntern } from './create.ts'
import { deleteOneIntern } from './delete.ts'
import { deleteInternFile } from './delete-file.ts'
import { getIntern } from './get.ts'
import { getInternLog } from './get-log.ts'
import { getInternQuestion } from './get-question.ts'
import { getInternRules } from './get-rules.ts'
import { getInternRun } from './get-run.ts'
import { getInternSession } from './get-session.ts'
import { giveUpOneIntern } from './give-up.ts'
import { listAllInterns } from './list.ts'
import { listAllQuestions } from './list-all-questions.ts'
import { listInternFiles } from './list-files.ts'
import { listInternHosts } from './list-hosts.ts'
import { listInternQuestions } from './list-questions.ts'
import { listInternRuns } from './list-runs.ts'
import { listInternSessionEvents } from './list-session-events.ts'
import { listInternSessionRequests } from './list-session-requests.ts'
import { listInternSessions } from './list-sessions.ts'
import { createInternFolder } from './make-folder.ts'
import { moveOneIntern } from './move.ts'
import { provisionOneIntern } from './provision.ts'
import { getInternArchive } from './read-archive.ts'
import { getInternFile } from './read-file.ts'
import { renameInternFile } from './rename-file.ts'
import { replayInternRules } from './replay-rules.ts'
import { setInternRules } from './set-rules.ts'
import { suspendOneIntern } from './suspend.ts'
import { updateIntern } from './update.ts'
import { writeInternArchive } from './write-archive.ts'
import { writeInternFile } from './write-file.ts'

export const internRoutes = {
  chatWithIntern,
  chatInInternSession,
  listInterns: listAllInterns,
  listQuestions: listAllQuestions,
  listInternHosts,
  createIntern: createOneIntern,
  getIntern,
  updateIntern,
  provisionIntern: provisionOneIntern,
  suspendIntern: suspendOneIntern,
  moveIntern: moveOneIntern,
  giveUpIntern: giveUpOneIntern,
  deleteIntern: deleteOneIntern,
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
