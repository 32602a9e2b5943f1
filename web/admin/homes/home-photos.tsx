import { useListPage } from '../../api/list-pages.ts'
import { root } from '../../api/plumbline.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The maximum number of photos. Older photos are on the pages of their records and in the export. */
const MAX_PHOTOS = 100

/** Shows the newest photos of the home and its records. Each photo links to the full picture. */
export function HomePhotos({ homeId }: { homeId: string }) {
  const { day } = useFormats()
  const photos = useListPage('/api/ext/attachments', { homeId, kind: 'photo', limit: MAX_PHOTOS, sort: '-createdAt' })
  const rows = photos.data?.data
  if (photos.error !== null)
    return <LoadError what="The photos" error={photos.error} onRetry={() => void photos.refetch()} />
  if (rows === undefined) return <SkeletonLines />
  if (rows.length === 0)
    return (
      <EmptyState icon="homes" title="No photos yet">
        Add photos to the home, its tasks, logs and punch items.
      </EmptyState>
    )
  return (
    <ul className="photos">
      {rows.map(({ id, fileName, caption, recordType, stage, takenAt, createdAt }) => (
        <li key={id}>
          <a href={`${root}/api/ext/attachments/${id}/image?size=screen`} target="_blank" rel="noreferrer">
            <img
              src={`${root}/api/ext/attachments/${id}/image?size=thumb`}
              alt={caption ?? fileName}
              loading="lazy"
              decoding="async"
            />
          </a>
          <span className="lead">{caption ?? fileName}</span>
          <span className="sub">
            {[humanizeName(recordType), stage, day((takenAt ?? createdAt).slice(0, 10))]
              .filter((part) => part !== null)
              .join(', ')}
          </span>
        </li>
      ))}
    </ul>
  )
}
