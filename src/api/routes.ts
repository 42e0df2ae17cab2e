import type { Route } from './route.ts'
import { listAllActivity } from './routes/activity/list.ts'
import { getAnalyticsMeta } from './routes/analytics/meta.ts'
import { queryAnalytics } from './routes/analytics/query.ts'
import { answerByLink } from './routes/answers/answer.ts'
import { showAnswerPage } from './routes/answers/show.ts'
import { listAudit } from './routes/audit/list.ts'
import { createByok } from './routes/byok/create.ts'
import { deleteByok } from './routes/byok/delete.ts'
import { getByok } from './routes/byok/get.ts'
import { listByok } from './routes/byok/list.ts'
import { updateByok } from './routes/byok/update.ts'
import { getCatalogue } from './routes/catalogue/get.ts'
import { reload } from './routes/catalogue/reload.ts'
import { countMessageTokens } from './routes/completions/count-tokens.ts'
import { completionRoutes } from './routes/completions/of-clients.ts'
import { getCredits } from './routes/credits/get.ts'
import { getEndpointHistory } from './routes/endpoints/history.ts'
import { listEndpoints } from './routes/endpoints/list.ts'
import { listZdrEndpoints } from './routes/endpoints/list-zdr.ts'
import { listEvents } from './routes/events/list.ts'
import { deleteGenerationContent } from './routes/generations/delete-content.ts'
import { getGenerationsExport } from './routes/generations/export.ts'
import { getGeneration } from './routes/generations/get.ts'
import { getGenerationContent } from './routes/generations/get-content.ts'
import { listAllGenerations } from './routes/generations/list.ts'
import { assignKeys } from './routes/guardrails/assign-keys.ts'
import { assignMembers } from './routes/guardrails/assign-members.ts'
import { createOneGuardrail } from './routes/guardrails/create.ts'
import { deleteOneGuardrail } from './routes/guardrails/delete.ts'
import { getOneGuardrail } from './routes/guardrails/get.ts'
import { listAllGuardrails } from './routes/guardrails/list.ts'
import { listAllKeyAssignments } from './routes/guardrails/list-all-key-assignments.ts'
import { listAllMemberAssignments } from './routes/guardrails/list-all-member-assignments.ts'
import { listGuardrailsForModel } from './routes/guardrails/list-for-model.ts'
import { listGuardrailKeyAssignments } from './routes/guardrails/list-key-assignments.ts'
import { listGuardrailMemberAssignments } from './routes/guardrails/list-member-assignments.ts'
import { replayGuardrail } from './routes/guardrails/replay.ts'
import { tryGuardrail } from './routes/guardrails/try.ts'
import { unassignKeys } from './routes/guardrails/unassign-keys.ts'
import { unassignMembers } from './routes/guardrails/unassign-members.ts'
import { updateGuardrail } from './routes/guardrails/update.ts'
import { getHealth } from './routes/health/get.ts'
import { getLiveness } from './routes/health/live.ts'
import { getReadiness } from './routes/health/ready.ts'
import { getHealthReport } from './routes/health/report.ts'
import { cancelInternRun } from './routes/interns/cancel-run.ts'
import { chatWithIntern } from './routes/interns/chat.ts'
import { chatInInternSession } from './routes/interns/chat-in-session.ts'
import { createOneIntern } from './routes/interns/create.ts'
import { deleteOneIntern } from './routes/interns/delete.ts'
import { deleteInternFile } from './routes/interns/delete-file.ts'
import { getIntern } from './routes/interns/get.ts'
import { getInternLog } from './routes/interns/get-log.ts'
import { getInternQuestion } from './routes/interns/get-question.ts'
import { getInternRules } from './routes/interns/get-rules.ts'
import { getInternRun } from './routes/interns/get-run.ts'
import { getInternSession } from './routes/interns/get-session.ts'
import { giveUpOneIntern } from './routes/interns/give-up.ts'
import { listAllInterns } from './routes/interns/list.ts'
import { listAllQuestions } from './routes/interns/list-all-questions.ts'
import { listInternFiles } from './routes/interns/list-files.ts'
import { listInternHosts } from './routes/interns/list-hosts.ts'
import { listInternQuestions } from './routes/interns/list-questions.ts'
import { listInternRuns } from './routes/interns/list-runs.ts'
import { listInternSessionEvents } from './routes/interns/list-session-events.ts'
import { listInternSessions } from './routes/interns/list-sessions.ts'
import { createInternFolder } from './routes/interns/make-folder.ts'
import { moveOneIntern } from './routes/interns/move.ts'
import { provisionOneIntern } from './routes/interns/provision.ts'
import { getInternArchive } from './routes/interns/read-archive.ts'
import { getInternFile } from './routes/interns/read-file.ts'
import { renameInternFile } from './routes/interns/rename-file.ts'
import { replayInternRules } from './routes/interns/replay-rules.ts'
import { setInternRules } from './routes/interns/set-rules.ts'
import { suspendOneIntern } from './routes/interns/suspend.ts'
import { updateIntern } from './routes/interns/update.ts'
import { writeInternArchive } from './routes/interns/write-archive.ts'
import { writeInternFile } from './routes/interns/write-file.ts'
import { getCurrentKey } from './routes/key/get.ts'
import { getCurrentKeyByOldPath } from './routes/key/get-by-old-path.ts'
import { createOneKey } from './routes/keys/create.ts'
import { deleteOneKey } from './routes/keys/delete.ts'
import { getOneKey } from './routes/keys/get.ts'
import { listAllKeys } from './routes/keys/list.ts'
import { updateKey } from './routes/keys/update.ts'
import { getMetrics } from './routes/metrics/get.ts'
import { countModels } from './routes/models/count.ts'
import { getModel } from './routes/models/get.ts'
import { listModels } from './routes/models/list.ts'
import { listModelsForUser } from './routes/models/list-for-user.ts'
import { retrieveModel } from './routes/models/retrieve.ts'
import { addOrganizationMember } from './routes/organization/add-member.ts'
import { getOwnOrganization } from './routes/organization/get.ts'
import { giveUpInternHost } from './routes/organization/give-up-intern-host.ts'
import { listOrganizationMembers } from './routes/organization/list-members.ts'
import { moveInternHost } from './routes/organization/move-intern-host.ts'
import { removeOrganizationMember } from './routes/organization/remove-member.ts'
import { updateOrganization } from './routes/organization/update.ts'
import { updateOrganizationMember } from './routes/organization/update-member.ts'
import { designatePresetVersion } from './routes/presets/designate-version.ts'
import { getOnePreset } from './routes/presets/get.ts'
import { getPresetVersion } from './routes/presets/get-version.ts'
import { listAllPresets } from './routes/presets/list.ts'
import { listPresetVersions } from './routes/presets/list-versions.ts'
import { savePresetFromChat } from './routes/presets/save-from-chat.ts'
import { savePresetFromMessages } from './routes/presets/save-from-messages.ts'
import { savePresetFromResponses } from './routes/presets/save-from-responses.ts'
import { updatePreset } from './routes/presets/update.ts'
import { listProviders } from './routes/providers/list.ts'
import { createSession } from './routes/sessions/create.ts'
import { createSignInLink } from './routes/sessions/create-link.ts'
import { endOneSession } from './routes/sessions/end.ts'
import { endCurrentSession } from './routes/sessions/end-current.ts'
import { getCurrentSession } from './routes/sessions/get-current.ts'
import { listSessions } from './routes/sessions/list.ts'
import { listSignInMethods } from './routes/sessions/list-methods.ts'
import { getOidcSignIn } from './routes/sessions/oidc.ts'
import { getOidcCallback } from './routes/sessions/oidc-callback.ts'
import { listSettings } from './routes/settings/list.ts'
import { getStatus } from './routes/status/get.ts'
import { createOneWebhook } from './routes/webhooks/create.ts'
import { deleteOneWebhook } from './routes/webhooks/delete.ts'
import { getOneWebhook } from './routes/webhooks/get.ts'
import { listAllWebhooks } from './routes/webhooks/list.ts'
import { listWebhookDeliveries } from './routes/webhooks/list-deliveries.ts'
import { retryWebhookDelivery } from './routes/webhooks/retry-delivery.ts'
import { rotateWebhookSecret } from './routes/webhooks/rotate-secret.ts'
import { testWebhook } from './routes/webhooks/send-test.ts'
import { updateWebhook } from './routes/webhooks/update.ts'
import { createOneWorkspace } from './routes/workspaces/create.ts'
import { deleteOneWorkspace } from './routes/workspaces/delete.ts'
import { deleteWorkspaceContents } from './routes/workspaces/delete-contents.ts'
import { getOneWorkspace } from './routes/workspaces/get.ts'
import { getWorkspaceInternRules } from './routes/workspaces/get-intern-rules.ts'
import { listAllWorkspaces } from './routes/workspaces/list.ts'
import { replayWorkspaceInternRules } from './routes/workspaces/replay-intern-rules.ts'
import { setWorkspaceInternRules } from './routes/workspaces/set-intern-rules.ts'
import { updateWorkspace } from './routes/workspaces/update.ts'

/**
 * The table of contents of the public API. Each name is the operation's id in its description: a verb and what it is
 * done to, as generated clients call their methods. A change of one breaks those who generated theirs.
 */
const table = {
  getHealth,
  getLiveness,
  getReadiness,
  getHealthReport,
  getMetrics,
  getStatus,
  listSettings,
  listEvents,
  ...completionRoutes,
  countMessageTokens,
  getGeneration,
  getGenerationContent,
  deleteGenerationContent,
  listGenerations: listAllGenerations,
  getGenerationsExport,
  listActivity: listAllActivity,
  queryAnalytics,
  getAnalyticsMeta,
  getCredits,
  listModels,
  listModelsForUser,
  countModels,
  getModel,
  retrieveModel,
  listEndpoints,
  listZdrEndpoints,
  getEndpointHistory,
  listProviders,
  getCatalogue,
  reloadCatalogue: reload,
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
  listGuardrails: listAllGuardrails,
  createGuardrail: createOneGuardrail,
  getGuardrail: getOneGuardrail,
  updateGuardrail,
  deleteGuardrail: deleteOneGuardrail,
  replayGuardrail,
  tryGuardrail,
  listGuardrailsForModel,
  listKeyAssignments: listAllKeyAssignments,
  listMemberAssignments: listAllMemberAssignments,
  listGuardrailKeyAssignments,
  assignKeys,
  unassignKeys,
  listGuardrailMemberAssignments,
  assignMembers,
  unassignMembers,
  listPresets: listAllPresets,
  getPreset: getOnePreset,
  listPresetVersions,
  getPresetVersion,
  savePresetFromResponses,
  savePresetFromChat,
  savePresetFromMessages,
  updatePreset,
  designatePresetVersion,
  showAnswerPage,
  answerByLink,
  listWebhooks: listAllWebhooks,
  createWebhook: createOneWebhook,
  getWebhook: getOneWebhook,
  updateWebhook,
  deleteWebhook: deleteOneWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
  listProviderKeys: listByok,
  createProviderKey: createByok,
  getProviderKey: getByok,
  updateProviderKey: updateByok,
  deleteProviderKey: deleteByok,
  getCurrentKey,
  getCurrentKeyByOldPath,
  listKeys: listAllKeys,
  createKey: createOneKey,
  getKey: getOneKey,
  updateKey,
  deleteKey: deleteOneKey,
  createSession,
  getCurrentSession,
  listSignInMethods,
  getOidcSignIn,
  getOidcCallback,
  deleteCurrentSession: endCurrentSession,
  listSessions,
  deleteSession: endOneSession,
  createSignInLink,
  listWorkspaces: listAllWorkspaces,
  createWorkspace: createOneWorkspace,
  getWorkspace: getOneWorkspace,
  updateWorkspace,
  deleteWorkspace: deleteOneWorkspace,
  getWorkspaceInternRules,
  setWorkspaceInternRules,
  replayWorkspaceInternRules,
  deleteWorkspaceContents,
  getOrganization: getOwnOrganization,
  updateOrganization,
  listOrganizationMembers,
  addOrganizationMember,
  updateOrganizationMember,
  removeOrganizationMember,
  giveUpInternHost,
  moveInternHost,
  listAuditEvents: listAudit,
} satisfies Record<string, Route>

export const routes: Route[] = Object.entries<Route>(table).map(([operationId, route]) => ({ operationId, ...route }))

export const tags = [
  { name: 'service', description: 'The service itself.' },
  { name: 'completions', description: 'Answers of models, by whichever provider can give them.' },
  { name: 'usage', description: 'What requests took and cost.' },
  { name: 'models', description: 'The models and what they cost.' },
  { name: 'endpoints', description: 'Who serves a model, at what price and how well.' },
  { name: 'providers', description: 'Who serves models here.' },
  { name: 'catalogue', description: 'Where models, providers and prices come from.' },
  { name: 'interns', description: 'Long-running agents that ask before they act.' },
  { name: 'guardrails', description: 'Limits on spend, models, providers, regions, retention and content.' },
  { name: 'presets', description: 'Named, versioned configurations of requests.' },
  { name: 'webhooks', description: 'Addresses that hear what interns do, and when limits are spent.' },
  { name: 'byok', description: 'Provider keys that workspaces bring along.' },
  { name: 'keys', description: 'The keys of the organization, and the calling one.' },
  { name: 'sessions', description: 'Where members are signed in with a browser.' },
  { name: 'workspaces', description: 'The parts of the organization.' },
  { name: 'organization', description: 'The organization and who belongs to it.' },
  { name: 'audit', description: 'What was changed, when and by whom.' },
]
