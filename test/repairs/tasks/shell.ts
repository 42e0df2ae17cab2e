import { brokenJson, unknownTool, untilMessage } from '../slips.ts'
import { edit, patching, read, run, type Task, text } from '../task.ts'

const check = 'bash check.sh'
const readme = (about: string) => `# ${about}\n\nRun \`bash check.sh\` after each change.\n`

const quoting: Task = {
  name: 'quoting',
  language: 'shell',
  prompt: 'Files with spaces in their names are not counted. Repair it.',
  files: {
    'README.md': readme('Count'),
    'count.sh': 'for file in $(ls "$1"); do [ -f $1/$file ] && echo "$file"; done | wc -l\n',
  },
  tests: {
    'check.sh': 'at=$(mktemp -d); touch "$at/a b" "$at/c"; [ "$(bash count.sh "$at")" = 2 ]\n',
  },
  check,
  look: ['count.sh'],
  repair: { name: 'write_file', input: { path: 'count.sh', content: 'find "$1" -maxdepth 1 -type f | wc -l\n' } },
  slips: [
    brokenJson(
      'JSON that breaks off at a quote',
      { name: 'write_file', raw: '{"path": "count.sh", "content": "find "$1" -maxdepth 1 -type f | wc -l"}' },
      /(position|column|character) \d+|near/i,
      { name: 'write_file', input: { path: 'count.sh', content: 'find "$1" -maxdepth 1 -type f | wc -l\n' } },
      true,
    ),
  ],
}

const greeting: Task = {
  name: 'unknown tools',
  language: 'shell',
  prompt: 'The greeting has no name in it. Repair it.',
  files: { 'README.md': readme('Greeting'), 'greet.sh': `name=$1; [ -n "$name" ] || name=World\necho 'Hello $name'\n` },
  tests: { 'check.sh': '[ "$(bash greet.sh Ada)" = "Hello Ada" ] && [ "$(bash greet.sh)" = "Hello World" ]\n' },
  check,
  look: ['greet.sh'],
  repair: edit('greet.sh', "'Hello $name'", '"Hello $name"'),
  slips: [
    unknownTool('a tool of another agent', { name: 'bash', input: { cmd: 'bash greet.sh Ada' } }, /\bshell\b/, [
      run('bash greet.sh Ada'),
    ]),
    unknownTool('an argument by another name', { name: 'shell', input: { cmd: 'bash greet.sh Ada' } }, /\bcommand\b/, [
      run('bash greet.sh Ada'),
    ]),
    {
      name: 'a tool of another agent, for editing',
      call: {
        name: 'str_replace_editor',
        input: { path: 'greet.sh', old_str: "'Hello $name'", new_str: '"Hello $name"' },
      },
      repairs: true,
      next: (message) =>
        /mean(t)? .*edit_file|edit_file.*(old_text|is)/.test(message)
          ? [edit('greet.sh', "'Hello $name'", '"Hello $name"')]
          : undefined,
    },
  ],
}

const service: Task = {
  name: 'left running',
  language: 'shell',
  prompt: 'The counter does not go up by one. Repair it.',
  files: {
    'README.md': readme('Counter'),
    'counter.sh': 'count=0\nwhile :; do echo $count > count.txt; count=$((count + 2)); sleep 0.2; done\n',
  },
  tests: {
    'check.sh': text`
      grep -q 'count + 1' counter.sh && bash -n counter.sh
    `,
  },
  check,
  look: ['counter.sh'],
  repair: edit('counter.sh', 'count + 2', 'count + 1'),
  slips: [
    untilMessage(
      'a process left in the background of a command',
      run('bash counter.sh & sleep 0.3; cat count.txt'),
      /start_process/,
      [{ name: 'start_process', input: { command: 'bash counter.sh' } }],
    ),
    untilMessage(
      'a process by a name that is none',
      { name: 'read_process', input: { process: 'counter' } },
      /\bp1\b/,
      [
        { name: 'read_process', input: { process: 'p1' } },
        { name: 'stop_process', input: { process: 'p1' } },
      ],
    ),
  ],
}

const lines = Array.from({ length: 60 }, (_, at) => `step_${at}() { echo ${at}; }`)
const many: Task = {
  name: 'arguments',
  language: 'shell',
  prompt: 'Step 47 prints the wrong number. Repair it.',
  files: {
    'README.md': readme('Steps'),
    'steps.sh': `${lines.map((line, at) => (at === 47 ? 'step_47() { echo 74; }' : line)).join('\n')}\n`,
  },
  tests: { 'check.sh': '. ./steps.sh; [ "$(step_47)" = 47 ]\n' },
  check,
  look: ['steps.sh'],
  repair: edit('steps.sh', 'echo 74;', 'echo 47;'),
  slips: [
    untilMessage('a number as a text', read('steps.sh', { offset: 'line 45' }), /offset/, [
      read('steps.sh', { offset: 45 }),
    ]),
    untilMessage('an argument that is none', read('steps.sh', { start_line: 45, limit: 5 }), /offset/, [
      read('steps.sh', { offset: 45, limit: 5 }),
    ]),
  ],
}

const removed: Task = {
  name: 'removed',
  language: 'shell',
  prompt: 'The report has no date. Repair it, and remove report.old.sh.',
  files: {
    'README.md': readme('Report'),
    'report.sh': '. ./lib.sh\necho "Report of $(day)"\n',
    'report.old.sh': 'echo old\n',
    'lib.sh': 'day() { :; }\n',
  },
  tests: { 'check.sh': '[ "$(bash report.sh 2031-05-01)" = "Report of 2031-05-01" ] && [ ! -e report.old.sh ]\n' },
  check,
  look: ['report.sh', 'lib.sh'],
  repair: patching(
    ...['*** Update File: report.sh', '@@', '-echo "Report of $(day)"', '+echo "Report of $(day "$1")"'],
    ...['*** Update File: lib.sh', '@@', '-day() { :; }', '+day() { echo "$1"; }', '*** Delete File: report.old.sh'],
  ),
  slips: [
    {
      name: 'removes the wrong file',
      call: run('git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm all; rm -v lib.sh'),
      next: () => [read('README.md')],
    },
    {
      ...untilMessage('misses a file that he has removed', read('lib.sh'), /git (checkout|restore)/, [
        run('git checkout -- lib.sh'),
      ]),
    },
  ],
}

export const shell = [quoting, greeting, service, many, removed]
