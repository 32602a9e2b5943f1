import { chmodSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import type { Logger } from 'pino'
import { Problem, problem, toProblem } from '../platform/problems/problem.ts'
import {
  type CommandInput,
  type CommandServices,
  isOperatorCommand,
  type OperatorCommand,
  runOperatorCommand,
} from './operator-commands.ts'

/** Only the server's own user can connect, so the server accepts every command from a client. */
const SOCKET_MODE = 0o600
const MAX_CONNECTIONS = 4
const MAX_BYTES = 64 * 1024
/**
 * The maximum time for a command. Commands are short, but a command that changes an API key waits for requests that are
 * writing.
 */
const TIMEOUT_MS = 20_000

const socketFile = (dataDir: string) => path.join(dataDir, 'operators.sock')

/**
 * Accepts commands from the command line through a socket in the server's data folder. This process must already hold
 * the lock on that folder. Returns null if the socket cannot be created, for example because its path is longer than
 * about 100 bytes. Operators must then stop the server to run commands, and the error messages of the commands say so.
 */
export async function listenForOperators(services: CommandServices, log: Logger): Promise<{ close(): void } | null> {
  const file = socketFile(services.config.dataDir)
  const server = createServer({ requestTimeout: TIMEOUT_MS }, (incoming, outgoing) => {
    const declared = Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    const requested =
      declared <= MAX_BYTES
        ? json(incoming)
        : Promise.reject(problem('payload_too_large', `The input exceeds ${MAX_BYTES} bytes.`))
    requested
      .then((body) => handleRequest(services, body as SocketRequest))
      .then(
        (result) => outgoing.end(JSON.stringify({ result: result ?? null })),
        (error: unknown) => {
          const { code, message, extras } = toProblem(error)
          if (code === 'internal') log.error({ err: error }, 'a command failed')
          outgoing.end(JSON.stringify({ problem: { code, detail: message, errors: extras.errors } }))
        },
      )
  })
  server.maxConnections = MAX_CONNECTIONS
  server.unref()
  try {
    await bindSocket(server, file)
  } catch (error) {
    log.warn(
      { err: error },
      'Cannot open the socket for the command line in the data folder. Commands work only while the service is stopped.',
    )
    return null
  }
  return {
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

// Creates the socket with a restricted umask, so that no other user can connect before the mode is set. `listen`
// creates the socket during the call, so the umask affects no other file.
async function bindSocket(server: Server, file: string): Promise<void> {
  // Deletes the socket file that a killed server may have left. This is safe, because this process holds the lock on
  // the folder.
  rmSync(file, { force: true })
  const defaults = process.umask(0o777 & ~SOCKET_MODE)
  const listening = new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(file, done)
  })
  process.umask(defaults)
  await listening
  chmodSync(file, SOCKET_MODE)
}

interface SocketRequest {
  verb?: unknown
  input?: unknown
}

async function handleRequest(at: CommandServices, { verb, input }: SocketRequest): Promise<unknown> {
  // The command line may be a different version with different commands.
  if (!isOperatorCommand(verb))
    throw problem(
      'unknown_path',
      'The running service does not support this command. Use the command line of the same version.',
    )
  return runOperatorCommand(verb, at, input as CommandInput<typeof verb>)
}

/**
 * Thrown if the server on the data folder cannot be reached, because it is an older version, runs as another user, or
 * has no socket.
 */
export class ServerUnreachableError extends Error {}

/**
 * Sends a command to the server on the data folder and returns the result. Throws the server's problem, or
 * `ServerUnreachableError`.
 */
export async function sendCommand<Verb extends OperatorCommand>(
  dataDir: string,
  verb: Verb,
  input: CommandInput<Verb>,
): Promise<unknown> {
  const body = JSON.stringify({ verb, input })
  const text = await new Promise<unknown>((done, fail) => {
    const requested = request({
      ...{ socketPath: socketFile(dataDir), method: 'POST', path: '/', timeout: TIMEOUT_MS },
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    })
    requested.on('response', (incoming) => json(incoming).then(done, fail))
    requested.on('timeout', () => requested.destroy(new Error('The service did not respond in time. Try again.')))
    requested.on('error', (error) => fail(new ServerUnreachableError(error.message)))
    requested.end(body)
  })
  const { result, problem: refused } = text as { result?: unknown; problem?: SocketError }
  if (refused !== undefined) {
    const { code, detail, errors } = refused
    throw new Problem(code, detail, errors === undefined ? {} : { errors })
  }
  return result
}

interface SocketError {
  code: Problem['code']
  detail: string
  errors?: NonNullable<Problem['extras']['errors']>
}
