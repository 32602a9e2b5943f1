import { execFile } from 'node:child_process'

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

interface Surroundings {
  env?: Record<string, string>
  cwd?: string
  tools?: string[]
}

/**
 * Runs commands in bash as if a reader had pasted them. Returns null, after a conspicuous message, if a tool is
 * missing.
 */
export async function run(lines: string, { env = {}, cwd, tools = ['curl'] }: Surroundings = {}): Promise<Ran | null> {
  for (const tool of ['bash', ...tools]) {
    if (await has(tool)) continue
    console.error(`### No ${tool} on this machine: the lines to paste are NOT tested. ###`)
    return null
  }
  return execute('bash', ['-c', lines], { env: { ...process.env, ...env }, cwd })
}

/**
 * Runs many samples in one bash, each in its own subshell so that none sees another's variables; `before` runs before
 * all of them. Returns null if a tool is missing.
 */
export async function runEach(
  samples: [name: string, lines: string][],
  { before = '', ...surroundings }: Surroundings & { before?: string } = {},
): Promise<Map<string, { code: number; stdout: string }> | null> {
  const lines = samples.map(([name, text]) => `(\n${text}\n)\nprintf '${SEPARATOR}%s %s${SEPARATOR}' '${name}' $?`)
  const ran = await run([before, ...lines].join('\n'), surroundings)
  if (ran === null) return null
  const parts = ran.stdout.split('\x1e')
  const answers = new Map<string, { code: number; stdout: string }>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [name = '', code] = (parts[at + 1] ?? '').split(' ')
    answers.set(name, { code: Number(code), stdout: parts[at] ?? '' })
  }
  if (answers.size < samples.length) throw new Error(`The shell came to ${answers.size} samples: ${ran.stderr}`)
  return answers
}

/** A character that no sample and no response contains (record separator), as printf writes it. */
const SEPARATOR = '\\036'

const known = new Map<string, Promise<boolean>>()

function has(tool: string): Promise<boolean> {
  const found = known.get(tool) ?? execute('which', [tool]).then(({ code }) => code === 0)
  known.set(tool, found)
  return found
}

function execute(file: string, args: string[], options: { env?: NodeJS.ProcessEnv; cwd?: string } = {}): Promise<Ran> {
  return new Promise((done) => {
    execFile(file, args, { ...options, maxBuffer: 64 * 1024 * 1024, timeout: 120_000 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
  })
}
