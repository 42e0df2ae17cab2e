/**
 * `node:http` without what it would bring along: a named import of it reads every export, and with them come the
 * WebSocket client and `fetch`, which cost each process 16 MB and a tenth of a second at its start.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http')

/** The same with TLS, loaded when somebody speaks it. */
export const https = () => process.getBuiltinModule('node:https')
