/** The file of a font for PDF documents. */
export interface PdfFont {
  path: string
  /** The PostScript name of the font in a collection; null if the file contains a single font. */
  name: string | null
}

/**
 * Returns the font in PDF_FONT_CJK, such as `/fonts/NotoSansCJK-Regular.ttc#NotoSansCJKjp-Regular`; null if the
 * variable is not set.
 */
export function parsePdfFont(text: string | undefined): PdfFont | null {
  if (!text) return null
  const [, path = text, name = null] = /^(.+\.(?:ttf|otf|ttc|otc))(?:#(.+))?$/i.exec(text) ?? []
  return { path, name }
}
