import { execFile } from 'node:child_process'

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Runs lines as a reader would paste them into bash; null, and said loudly, where the machine lacks a tool for it. */
export async function run(
  lines: string,
  { env = {}, cwd, tools = ['curl'] }: { env?: Record<string, string>; cwd?: string; tools?: string[] } = {},
): Promise<Ran | null> {
  for (const tool of ['bash', ...tools]) {
    if (await has(tool)) continue
    console.error(`### No ${tool} on this machine: the lines to paste are NOT tested. ###`)
    return null
  }
  return execute('bash', ['-c', lines], { env: { ...process.env, ...env }, cwd })
}

async function has(tool: string): Promise<boolean> {
  return (await execute('which', [tool])).code === 0
}

function execute(file: string, args: string[], options: { env?: NodeJS.ProcessEnv; cwd?: string } = {}): Promise<Ran> {
  return new Promise((done) => {
    execFile(file, args, { ...options, maxBuffer: 16 * 1024 * 1024, timeout: 60_000 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
  })
}
