// The text of the model: YAML in colours, with what is wrong marked at its line.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

const style = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], class: 'tok-key' },
  { tag: [tags.string, tags.content], class: 'tok-text' },
  { tag: [tags.number, tags.bool, tags.null], class: 'tok-number' },
  { tag: tags.comment, class: 'tok-comment' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], class: 'tok-mark' },
]);

// Whole lines that hold an error are tinted.
const setWrong = StateEffect.define();
const wrongLines = StateField.define({
  create: () => Decoration.none,
  update(lines, change) {
    for (const effect of change.effects)
      if (effect.is(setWrong))
        return Decoration.set(
          effect.value.map((at) => Decoration.line({ class: 'cm-line-wrong' }).range(at)),
          true,
        );
    return lines.map(change.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class Editor {
  constructor(holder, onChange) {
    this.quiet = false;
    this.extensions = [
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      drawSelection(),
      history(),
      yaml(),
      indentUnit.of('  '),
      wrongLines,
      syntaxHighlighting(style),
      lintGutter(),
      keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.contentAttributes.of({
        'aria-label': 'Text of the model',
        spellcheck: 'false',
        autocapitalize: 'off',
      }),
      EditorView.updateListener.of((update) => update.docChanged && !this.quiet && onChange()),
    ];
    this.view = new EditorView({ parent: holder, state: this.fresh('') });
  }

  fresh(text) {
    return EditorState.create({ doc: text, extensions: this.extensions });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  // Another model: its history begins anew.
  open(text) {
    this.view.setState(this.fresh(text));
  }

  // messages: {line, column, severity, text}; the mark goes from the column to the end of the word.
  mark(messages) {
    const { doc } = this.view.state;
    const here = messages.filter((m) => m.line >= 1 && m.line <= doc.lines);
    const diagnostics = here
      .map((m) => {
        const line = doc.line(m.line);
        const from = Math.min(line.from + Math.max(byteToUnit(line.text, m.column - 1), 0), line.to);
        const word = /^[^\s,:\]}]+/.exec(line.text.slice(from - line.from))?.[0].length ?? 1;
        return {
          from,
          to: Math.min(from + Math.max(word, 1), Math.max(line.to, from)),
          severity: m.severity,
          message: m.text,
        };
      })
      .sort((a, b) => a.from - b.from);
    const lines = [
      ...new Set(here.filter((m) => m.severity === 'error').map((m) => doc.line(m.line).from)),
    ].sort((a, b) => a - b);
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics), { effects: setWrong.of(lines) });
  }

  go(line, column) {
    const { doc } = this.view.state;
    if (line < 1 || line > doc.lines) return;
    const at = doc.line(line);
    this.view.dispatch({
      selection: { anchor: Math.min(at.from + Math.max(byteToUnit(at.text, column - 1), 0), at.to) },
      scrollIntoView: true,
    });
    this.view.focus();
  }
}

// Columns count characters of the file; the editor counts UTF-16.
function byteToUnit(text, characters) {
  return [...text].slice(0, Math.max(characters, 0)).join('').length;
}
