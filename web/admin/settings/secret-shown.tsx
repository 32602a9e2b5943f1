import type { ApiKeyWithSecret } from '../../../client/contract.gen.ts'
import { root } from '../../api/plumbline.ts'
import { Status } from '../../ui/badge.tsx'
import { Code } from '../../ui/code.tsx'
import { useFormats } from '../../ui/organization.ts'
import { KeyValues } from '../../ui/panel.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { count } from '../../ui/words.ts'
import { stateOf } from './key-state.ts'

/** The secret of a key, with a call to try it. */
export function SecretShown({ apiKey, onClose }: { apiKey: ApiKeyWithSecret; onClose(): void }) {
  const { name, secret, permissions, expiresAt } = apiKey
  const { wholeDay, dateOf } = useFormats()
  return (
    <SecretDialog
      title={name}
      note={<Status of="key" is={stateOf(apiKey)} />}
      secret={secret}
      ifLost="We keep only a digest of it. If it is lost, rotate the key: the old secret can live on for up to 7 days."
      isLost="The key is there: rotate it to get another secret."
      onClose={onClose}
    >
      {secret !== null && (
        <Code
          label="Try it"
          copied="The call"
          text={`curl -H 'Authorization: Bearer ${secret}' \\\n  '${location.origin}${root}/api/ext/me'`}
        />
      )}
      <KeyValues
        facts={[
          ['May do', count(permissions.length, 'permission')],
          ['Ends', expiresAt === null ? 'Never' : wholeDay(dateOf(expiresAt))],
        ]}
      />
    </SecretDialog>
  )
}
