import { spawn } from 'node:child_process'

/**
 * The scanner's result for a file: exit code 0 is clean and 1 is not, as for ClamAV and others. Any other code, and a
 * timeout, is unknown.
 */
export type ScanVerdict = 'clean' | 'unclean' | 'unknown'

/** A program and its arguments. The path of the file is appended. */
export type ScanCommand = readonly [program: string, ...args: string[]]

export function scanFile([program, ...args]: ScanCommand, path: string, withinMs: number): Promise<ScanVerdict> {
  return new Promise((done) => {
    // Without a shell, so that nothing in a path or an argument is a command; and without the service's secrets.
    const scanner = spawn(program, [...args, path], {
      ...{ shell: false, stdio: 'ignore', timeout: withinMs, killSignal: 'SIGKILL' },
      env: { PATH: process.env.PATH ?? '' },
    })
    scanner.once('error', () => done('unknown'))
    scanner.once('exit', (code) => done(code === 0 ? 'clean' : code === 1 ? 'unclean' : 'unknown'))
  })
}

/**
 * Returns the words of a command, separated by spaces. A word in double quotes may contain spaces. Null if there is no
 * word, or a quote is not closed.
 */
export function parseScanCommand(text: string): ScanCommand | null {
  const words = [...text.matchAll(/"([^"]*)"|([^\s"]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  const [program, ...args] = words
  const quotes = text.split('"').length - 1
  return program === undefined || program === '' || quotes % 2 === 1 ? null : [program, ...args]
}
