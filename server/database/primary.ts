import pg from 'pg'

/**
 * A client that connects to a PostgreSQL which takes changes, and to none that only follows another one. A primary that was
 * replaced comes back as such a replica, at the address that the service knows, and for a moment load balancers and name
 * servers still lead to it. What its connections would read is old, and they would stay.
 */
export class PrimaryClient extends pg.Client {
  #isReplica = false

  constructor(config?: pg.ClientConfig) {
    super(config)
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      // PostgreSQL says so since version 14, before it is ready, and again once it is promoted.
      if (parameterName === 'in_hot_standby') this.#isReplica = parameterValue === 'on'
    })
  }

  override connect(): Promise<this>
  override connect(callback: (error: Error | null) => void): void
  override connect(callback?: (error: Error | null) => void): Promise<this> | undefined {
    if (callback === undefined)
      return new Promise((done, fail) => this.connect((error) => (error ? fail(error) : done(this))))
    super.connect((error: Error | null) => {
      if (error || !this.#isReplica) return callback(error)
      this.connection.stream.destroy()
      callback(new OnlyAReplica())
    })
  }
}

interface ParameterStatus {
  parameterName: string
  parameterValue: string
}

/** To all that ask, as good as one that is not there. */
class OnlyAReplica extends Error {
  readonly code = CANNOT_CONNECT_NOW

  constructor() {
    super('the server there is a replica, which takes no changes')
  }
}

const CANNOT_CONNECT_NOW = '57P03'
