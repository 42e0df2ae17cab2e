/** The names of equivalent tools of other agents, which models know well. */
const aliases: Record<string, string[]> = {
  shell: ['bash', 'sh', 'terminal', 'run', 'runcommand', 'runshellcommand', 'execcommand', 'execute', 'executecommand'],
  start_process: ['runinbackground', 'startserver', 'bashbackground'],
  read_process: ['bashoutput', 'taskoutput', 'processoutput', 'writestdin'],
  stop_process: ['killbash', 'killshell', 'taskstop', 'killprocess'],
  read_file: ['read', 'view', 'cat', 'openfile', 'viewfile', 'readmanyfiles'],
  write_file: ['write', 'createfile', 'writetofile', 'savefile'],
  edit_file: [
    'edit',
    'replace',
    'strreplace',
    'strreplaceeditor',
    'strreplacebasededittool',
    'multiedit',
    'replaceinfile',
  ],
  apply_patch: ['patch', 'applydiff', 'applyedits'],
  list_files: ['ls', 'list', 'glob', 'find', 'listdir', 'listdirectory', 'findfiles'],
  search: ['grep', 'rg', 'ripgrep', 'grepsearch', 'searchfiles', 'searchfilecontent', 'codebasesearch'],
  ask_user: ['ask', 'askuserquestion', 'askfollowupquestion', 'requestuserinput'],
  web_fetch: ['fetch', 'webfetch', 'fetchurl', 'websearch'],
  delegate: ['task', 'agent', 'subagent'],
  update_plan: ['plan', 'todo', 'todowrite', 'todolist', 'updatetodos', 'writetodos'],
}

const normalize = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')

/** @returns the name of the tool that is equivalent to another agent's tool `name`. */
export function findEquivalentName(name: string): string | undefined {
  return Object.keys(aliases).find(
    (own) => normalize(own) === normalize(name) || aliases[own]!.includes(normalize(name)),
  )
}
