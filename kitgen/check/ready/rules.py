"""The rules of images that are to be carried somewhere else; only `kitgen images check` asks for them."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule

IMAGE_BY_TAG = Rule(
    id="image-by-tag",
    chapter=Chapter.IMAGE,
    checks=(
        "Every image that a target can run has a digest. `kitgen images check` looks. What stands in "
        "examples is a warning; so is what stands in params.env, which the ODH operator fills, unless the "
        "target says `digests: true`."
    ),
    fix="Lock its digest, and say `digests: true` in the target; or write the digest into the spec.",
    why=(
        "A mirror set of digests redirects no tag: the node asks the registry that it cannot reach. And a "
        "mirror that was filled another day holds another image."
    ),
    exceptable=True,
    asked=True,
)

IMAGE_RECORD = Rule(
    id="image-record",
    chapter=Chapter.IMAGE,
    checks=(
        "What a release records, and a component knows the default images of, has an entry in "
        "`runtimeImages` of just that version, and an entry names what releases record. "
        "`kitgen images check` looks."
    ),
    fix="Add its default images to runtimeImages of the component, with `record: NAME@VERSION`.",
    why=(
        "Another version has other default images. They are in no list, so nobody mirrors them, and what "
        "users start waits for an image."
    ),
    exceptable=True,
    asked=True,
)

PARAM_LEFT = Rule(
    id="param-left",
    chapter=Chapter.IMAGE,
    checks=(
        "When every image in params.env is replaced, all that was made from one follows. "
        "`kitgen images check` tries it."
    ),
    fix="Name the field in the fills of the parameter, or take the value from elsewhere.",
    why=(
        "The ODH operator changes params.env and nothing else. What a spec computed from the image before "
        "stays, and says something of an image that no longer runs."
    ),
    exceptable=True,
    asked=True,
)

IMAGE_UNRELATED = Rule(
    id="image-unrelated",
    chapter=Chapter.IMAGE,
    checks=(
        "Every image that the component of a bundle can run is among its relatedImages. "
        "`kitgen images check` looks."
    ),
    fix="Name it in runtimeImages of the component.",
    why="Who mirrors a catalog takes what is listed there, and nothing else.",
    exceptable=True,
    asked=True,
)
