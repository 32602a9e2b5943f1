import { execFile } from 'node:child_process'

export interface ShellResult {
  code: number
  stdout: string
  stderr: string
}

interface ShellOptions {
  env?: Record<string, string>
  cwd?: string
  tools?: string[]
}

/**
 * Runs commands in bash as if a reader had pasted them. If a tool is missing, prints a conspicuous message and returns
 * null.
 */
export async function runLines(
  lines: string,
  { env = {}, cwd, tools = ['curl'] }: ShellOptions = {},
): Promise<ShellResult | null> {
  for (const tool of ['bash', ...tools]) {
    if (await hasTool(tool)) continue
    console.error(`### No ${tool} on this machine: the lines to paste are NOT tested. ###`)
    return null
  }
  return executeFile('bash', ['-c', lines], { env: { ...process.env, ...env }, cwd })
}

/**
 * Runs many samples in one bash process, each in its own subshell, so that samples do not share variables. Runs
 * `before` first. Returns null if a tool is missing.
 */
export async function runSamples(
  samples: [name: string, lines: string][],
  { before = '', ...surroundings }: ShellOptions & { before?: string } = {},
): Promise<Map<string, { code: number; stdout: string }> | null> {
  const lines = samples.map(([name, text]) => `(\n${text}\n)\nprintf '${SEPARATOR}%s %s${SEPARATOR}' '${name}' $?`)
  const ran = await runLines([before, ...lines].join('\n'), surroundings)
  if (ran === null) return null
  const parts = ran.stdout.split('\x1e')
  const responses = new Map<string, { code: number; stdout: string }>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [name = '', code] = (parts[at + 1] ?? '').split(' ')
    responses.set(name, { code: Number(code), stdout: parts[at] ?? '' })
  }
  if (responses.size < samples.length) throw new Error(`The shell came to ${responses.size} samples: ${ran.stderr}`)
  return responses
}

/** The record separator, as printf writes it. No sample and no response contains this character. */
const SEPARATOR = '\\036'

const knownTools = new Map<string, Promise<boolean>>()

function hasTool(tool: string): Promise<boolean> {
  const found = knownTools.get(tool) ?? executeFile('which', [tool]).then(({ code }) => code === 0)
  knownTools.set(tool, found)
  return found
}

function executeFile(
  file: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<ShellResult> {
  return new Promise((done) => {
    execFile(file, args, { ...options, maxBuffer: 64 * 1024 * 1024, timeout: 120_000 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
  })
}
