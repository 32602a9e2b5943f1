import { CompiledQuery, type DatabaseConnection, PostgresDriver } from 'kysely'
import pg from 'pg'
import { ORGANIZATION_SETTING } from './wall.ts'

/** Transactions of the pool that see one organization's rows. Setting this goes out with `begin` and costs no time. */
export class NarrowDriver extends PostgresDriver {
  readonly #begin: CompiledQuery

  constructor(pool: pg.Pool, role: string, organizationId: string) {
    super({ pool })
    const set = `set local role ${pg.escapeIdentifier(role)}; set local ${ORGANIZATION_SETTING} = ${pg.escapeLiteral(organizationId)}`
    this.#begin = CompiledQuery.raw(`begin; ${set}`)
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(this.#begin)
  }
}

/** What the single session of the embedded database can see right now. */
export interface EmbeddedSession {
  narrowness: string
}

/** The embedded database's single connection, narrowed to what its next user may see before it is handed over. */
export class EmbeddedDriver extends PostgresDriver {
  readonly #session: EmbeddedSession
  readonly #wanted: string
  readonly #show: CompiledQuery

  constructor(pool: pg.Pool, session: EmbeddedSession, role: string | null, organizationId: string | null) {
    super({ pool })
    this.#session = session
    this.#wanted = role === null ? '' : `${organizationId} ${role}`
    this.#show = CompiledQuery.raw(
      `select set_config('role', $1, false), set_config('${ORGANIZATION_SETTING}', $2, false)`,
      [role ?? 'none', organizationId ?? ''],
    )
  }

  override async acquireConnection(
    ...options: Parameters<PostgresDriver['acquireConnection']>
  ): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection(...options)
    if (this.#session.narrowness === this.#wanted) return connection
    try {
      await connection.executeQuery(this.#show)
      this.#session.narrowness = this.#wanted
      return connection
    } catch (error) {
      await this.releaseConnection(connection as Parameters<PostgresDriver['releaseConnection']>[0])
      throw error
    }
  }
}
