import type { ApiKeyWithSecret } from '../../../client/contract.gen.ts'
import { root } from '../../api/plumbline.ts'
import { Status } from '../../ui/badge.tsx'
import { Code } from '../../ui/code.tsx'
import { KeyValues } from '../../ui/panel.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { chooseKeyState } from './key-state.ts'

/** Shows the secret of an API key, with a sample request. */
export function KeySecretDialog({ apiKey, onClose }: { apiKey: ApiKeyWithSecret; onClose(): void }) {
  const { name, secret, permissions, expiresAt } = apiKey
  const { wholeDay, dateOf } = useFormats()
  return (
    <SecretDialog
      title={name}
      note={<Status of="key" is={chooseKeyState(apiKey)} />}
      secret={secret}
      ifLost="We store only a digest of the secret. If you lose the secret, rotate the key. The old secret can stay valid for up to 7 days."
      isLost="The key was created. Rotate the key to get a new secret."
      onClose={onClose}
    >
      {secret !== null && (
        <Code
          label="Test the key"
          copied="The call"
          text={`curl -H 'Authorization: Bearer ${secret}' \\\n  '${location.origin}${root}/api/ext/me'`}
        />
      )}
      <KeyValues
        facts={[
          ['Permissions', formatCount(permissions.length, 'permission')],
          ['Expires', expiresAt === null ? 'Never' : wholeDay(dateOf(expiresAt))],
        ]}
      />
    </SecretDialog>
  )
}
